/** Seals cases of an office again on this machine: the office sees neither the key nor what it opens. */
import {
  buildRecipientSet,
  parseRecipientSetMembers,
  type RecipientSetMember,
} from '#cases/sealing/recipient-set.ts';
import type { RefundToReseal } from '#cases/sealing/reseal.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { createHostileFault } from '#desk/office/office-http.ts';
import type { OfficeSigner } from '#desk/office/office-session.ts';
import { walkPages, walkRefunds } from '#desk/office/waiting-lists.ts';
import { readRecipientsFile } from '#platform/config/recipients.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { type CaseToReseal, hashSealedKey, type ResealedCase } from '#seal/case/resealed-case.ts';
import { deriveRecipient, isAgeRecipient } from '#seal/core/age.ts';
import { computeInvestigatorId } from '#seal/core/investigator-id.ts';
import type { RecipientSet } from '#store/keys/recipient-set.ts';
import {
  type DeskRecipientSet,
  type DeskResealingPage,
  type DeskResealingRequest,
  MAX_RESEALED_CASES,
  MAX_RESEALING_BYTES,
} from '#wire/desk-resealing.ts';
import { createUsageFailure, type OptionValues } from '../command.ts';
import { type OfficeAccess, withOfficeLink } from '../office-link.ts';
import { readInputFile } from '../terminal/files.ts';
import { getIo } from '../terminal/io.ts';
import { compareMembers, formatMember, type ResealSource } from './reseal-report.ts';
import {
  fetchRecipientSet,
  fetchResealingPage,
  postRecipientSet,
  postResealingEnd,
  putResealedCases,
  putResealedRefund,
  readSealedNote,
} from './resealing-requests.ts';

type ResealedPart = DeskResealingRequest['cases'][number];

export async function withOfficeResealing<Result>(
  access: OfficeAccess,
  files: AskedSetFiles,
  work: (source: ResealSource) => Promise<Result>,
): Promise<Result> {
  const own = computeInvestigatorId(await deriveRecipient(access.key.identity));
  const asked = await readAskedSet(files, own);
  return await withOfficeLink(access, async ({ office: { signer } }) => {
    const { adopted, configured } = await fetchRecipientSet(signer);
    requireConfiguredSet(asked.set, configured, files.recipients ?? '');
    const tag = asked.set.tag;
    const sender = new ResealingSender(signer, tag);
    return await work({
      ...asked,
      // For display only: nothing is sealed to a set that an office has sent.
      previous: adopted ? { tag: adopted.set, members: JSON.stringify(adopted.members) } : undefined,
      countLeft: async () => (await fetchRecipientSet(signer, tag)).left,
      adopt: () => postRecipientSet(signer, { former: adopted?.set ?? null, set: tag }),
      streamCases: () => streamOfficeCases(signer, tag),
      storeCase: (previous, resealed) => sender.add(previous, resealed),
      streamRefunds: () => streamOfficeRefunds(signer),
      storeRefund: ({ id, sealed }) =>
        putResealedRefund(signer, { set: tag, id, sealed: toBase64url(sealed) }),
      finish: async () => {
        const stored = await sender.flush();
        return { stored, unsealed: await postResealingEnd(signer, tag) };
      },
    });
  });
}

/** Yields each case once, and no more cases than the office has counted. */
async function* streamOfficeCases(signer: OfficeSigner, set: string): AsyncGenerator<CaseToReseal> {
  const { left } = await fetchRecipientSet(signer, set);
  // Allows for a page of cases that arrived after the count.
  const most = left + MAX_RESEALED_CASES;
  const seen = new Set<string>();
  const fetchPage = (after: string | undefined) =>
    fetchResealingPage(signer, { set, ...(after === undefined ? {} : { after }) });
  for await (const { cases, next } of walkPages({ list: 'list of cases', maxPages: most }, fetchPage)) {
    // Otherwise the office could keep this machine busy without listing anything.
    if (cases.length === 0 && next !== null) throw createHostileFault('its list of cases does not end');
    for (const found of cases) {
      if (seen.has(found.id)) throw createHostileFault('it lists a case twice');
      seen.add(found.id);
      yield toCaseToReseal(signer, found);
    }
    if (seen.size > most) throw createHostileFault('it lists more cases than it has counted');
  }
}

async function* streamOfficeRefunds(signer: OfficeSigner): AsyncGenerator<RefundToReseal> {
  for await (const refunds of walkRefunds(signer, '/resealing/refunds'))
    for (const { id, sealed } of refunds) yield { id, sealed: Buffer.from(sealed, 'base64url') };
}

function toCaseToReseal(
  signer: OfficeSigner,
  { id, lookup_hash: lookupHash, case_key: caseKey, notes }: DeskResealingPage['cases'][number],
): CaseToReseal {
  return {
    id,
    lookupHash,
    caseKey: caseKey === null ? null : Buffer.from(caseKey, 'base64url'),
    readNotes: async () =>
      await Array.fromAsync(notes, async (note) => ({
        seq: note.seq,
        sealed: await readSealedNote(signer, id, note),
      })).catch(skipPurgedCase),
  };
}

/** Rethrows every other fault: a note that could not be fetched must not count as one that does not open. */
function skipPurgedCase(error: unknown): null {
  if (error instanceof OfficeFault && error.code === 'case_unknown') return null;
  throw error;
}

/** A note that is longer than this is sent alone. */
const FULL_LENGTH = MAX_RESEALING_BYTES / 2;

interface CasePart {
  readonly part: ResealedPart;
  readonly length: number;
}

/** Sends many cases at once, and a case with many notes in parts. */
class ResealingSender {
  readonly #signer: OfficeSigner;
  readonly #set: string;
  #waiting: CasePart[] = [];

  constructor(signer: OfficeSigner, set: string) {
    this.#signer = signer;
    this.#set = set;
  }

  async add(previous: CaseToReseal, resealed: ResealedCase): Promise<number> {
    let stored = 0;
    for (const next of splitCase(previous, resealed)) {
      const length = this.#waiting.reduce((sum, each) => sum + each.length, next.length);
      if (length > FULL_LENGTH || this.#waiting.length === MAX_RESEALED_CASES) stored += await this.flush();
      this.#waiting.push(next);
    }
    return stored;
  }

  /** Returns how many cases are complete now. */
  async flush(): Promise<number> {
    const sent = this.#waiting;
    if (sent.length === 0) return 0;
    this.#waiting = [];
    const cases = sent.map(({ part }) => part);
    const changed = await putResealedCases(this.#signer, { set: this.#set, cases });
    return cases.filter(({ id, whole }) => whole && !changed.has(id)).length;
  }
}

function* splitCase(
  { id, caseKey: previousKey }: CaseToReseal,
  { caseKey, notes, isWhole }: ResealedCase,
): Generator<CasePart> {
  const previous = hashSealedKey(previousKey ?? new Uint8Array());
  const key = toBase64url(caseKey);
  let some: ResealedPart['notes'] = [];
  let length = key.length;
  const buildPart = (isLast: boolean): CasePart => ({
    part: { id, former: previous, case_key: key, notes: some, whole: isLast && isWhole },
    length,
  });
  for (const { seq, sealed: bytes } of notes) {
    const sealed = toBase64url(bytes);
    if (some.length > 0 && length + sealed.length > FULL_LENGTH) {
      yield buildPart(false);
      some = [];
      length = key.length;
    }
    some.push({ seq, sealed });
    length += sealed.length;
  }
  yield buildPart(true);
}

export const askedSetOptions = [
  ['--recipients FILE', 'with --office: the recipients, in the format of DESK_RECIPIENTS_FILE'],
  ['--recovery FILE', 'with --office: the public recovery key, such as recovery.pub'],
] as const;

export type AskedSetFiles = OptionValues<typeof askedSetOptions>;

/** More than a public key needs; limits what is read of a wrong file. */
const MAX_RECOVERY_BYTES = 8 * 1024;

/** `own` is the hash of the caller's key: without it as an owner's, the set would lock the caller out halfway. */
async function readAskedSet(
  { recipients, recovery }: AskedSetFiles,
  own: string,
): Promise<Pick<ResealSource, 'holders' | 'set'>> {
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
function requireConfiguredSet(
  set: RecipientSet,
  configured: DeskRecipientSet['configured'],
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
