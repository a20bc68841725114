/** Reads from local files whom to seal to; the service must be configured for the same people. */
import {
  buildRecipientSet,
  parseRecipientSetMembers,
  type RecipientSetMember,
} from '#cases/sealing/recipient-set.ts';
import { readRecipientsFile } from '#platform/config/recipients.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { isAgeRecipient } from '#seal/core/age.ts';
import type { CaseKeyRecipients } from '#seal/core/case-key.ts';
import type { RecipientSet } from '#store/keys/recipient-set.ts';
import type { DeskRecipientSet } from '#wire/desk-resealing.ts';
import { createUsageFailure, type OptionValues } from '../command.ts';
import { readInputFile } from '../terminal/input-file.ts';
import { getIo } from '../terminal/io.ts';
import { compareMembers, formatMember } from './reseal-report.ts';

export const askedSetOptions = { recipients: { type: 'string' }, recovery: { type: 'string' } } as const;
export const askedSetHelp = [
  ['--recipients FILE', 'with --office: the recipients, in the format of DESK_RECIPIENTS_FILE'],
  ['--recovery FILE', 'with --office: the public recovery key, such as recovery.pub'],
] as const;

export type AskedSetFiles = OptionValues<typeof askedSetOptions>;

export interface AskedSet {
  readonly holders: CaseKeyRecipients;
  readonly set: RecipientSet;
}

/** More than a public key needs; limits what is read of a wrong file. */
const MAX_RECOVERY_BYTES = 8 * 1024;

/** `own` is the hash of the caller's key: without it as an owner's, the set would lock the caller out halfway. */
export async function readAskedSet({ recipients, recovery }: AskedSetFiles, own: string): Promise<AskedSet> {
  if (recipients === undefined || recovery === undefined)
    throw createUsageFailure(
      '--office needs both --recipients FILE and --recovery FILE: the recipients must come from your own files',
    );
  const { people, mistakes } = readRecipientsFile(recipients, recipients);
  const damaged = people.find((person) => !isAgeRecipient(person.recipient));
  const fault = damaged ? `${recipients}: the public key of ${damaged.name} is damaged` : mistakes.join('; ');
  if (fault !== '') throw new ProgramError(fault, EXIT_CODES.config);
  const desk = people.map(({ recipient }) => recipient);
  const holders = { desk, recovery: await readRecoveryRecipient(recovery) };
  const set = buildRecipientSet(holders, { people });
  const self = parseRecipientSetMembers(set).find(({ role, hash }) => role !== 'recovery' && hash === own);
  if (self?.role !== 'owner')
    throw new ProgramError(
      `${recipients}: does not list your own key as an owner's, so you would be locked out before all cases are sealed again; another owner can do it`,
      EXIT_CODES.config,
    );
  return { holders, set };
}

async function readRecoveryRecipient(file: string): Promise<string> {
  const text = (await readInputFile(file, MAX_RECOVERY_BYTES)).toString('utf8').trim();
  if (isAgeRecipient(text)) return text;
  throw new ProgramError(
    `${file}: expected one public key (age1pq1…), that of the recovery key`,
    EXIT_CODES.config,
  );
}

/** The office reads names and roles only from its configuration, so that has to be changed first. */
export function requireConfiguredSet(
  { set }: AskedSet,
  { configured }: DeskRecipientSet,
  file: string,
): void {
  if (configured === null)
    throw new ProgramError(
      'The file of recipients at the office has mistakes, so nothing was changed. Run office doctor there to list them.',
      EXIT_CODES.config,
    );
  const asked = parseRecipientSetMembers(set);
  const differences = listDifferences(asked, configured.members);
  if (configured.set === set.tag && differences.length === 0) return;
  getIo().stderr.write(differences.map((line) => `${line}\n`).join(''));
  throw new ProgramError(
    `The configuration of the office differs from ${file}, so nothing was changed. Make both the same: the office rereads its DESK_RECIPIENTS_FILE for each request.`,
    EXIT_CODES.config,
  );
}

function listDifferences(
  asked: readonly RecipientSetMember[],
  configured: readonly RecipientSetMember[],
): string[] {
  const { comes, goes, stays } = compareMembers(configured, asked);
  const others = stays.flatMap((member) => {
    const there = configured.find(({ hash, role }) => hash === member.hash && role !== 'recovery');
    // A key that is configured without a name is an owner's.
    const role = there?.role === 'desk' ? 'owner' : there?.role;
    return member.role === 'recovery' || role === member.role ? [] : { member, role };
  });
  return [
    ...comes.map((member) => `Only here:          ${formatMember(member)}`),
    ...goes.map((member) => `Only at the office: ${formatMember(member)}`),
    ...others.map(
      ({ member, role }) => `Another role there: ${formatMember({ ...member, role: `${role}` })}`,
    ),
  ];
}

/** For display only: nothing is sealed to a set that an office has sent. */
export function toShownSet(set: DeskRecipientSet['adopted']): RecipientSet | undefined {
  return set ? { tag: set.set, members: JSON.stringify(set.members) } : undefined;
}
