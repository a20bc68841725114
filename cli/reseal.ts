/** The command that adopts the keys of this machine's configuration and seals every open case to them. */
import { replaceAdoptedSet, requireOpeningKey, resealCases, type UnsealedCase } from '#cases/reseal.ts';
import { readSealingKeys, type SealingKeys } from '#cases/sealing-keys.ts';
import { buildSealingSet, parseSealingSetMembers, type SealingSetMember } from '#cases/sealing-set.ts';
import { type PinFile, readPins } from '#desk-program/keys/pin-file.ts';
import { loadConfig } from '#platform/config.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { deriveRecipient } from '#seal/age.ts';
import { formatKeyFingerprint } from '#seal/case-key.ts';
import { computeHolder } from '#seal/holder.ts';
import { createKeyPin, hasSamePinnedKey, isPinOfCase } from '#seal/key-pin.ts';
import { countCasesToReseal } from '#store/case-keys.ts';
import { findSealingSet } from '#store/sealing-set.ts';
import { type CliServices, withStore } from './cli-services.ts';
import { type CommandReport, createCommand } from './command.ts';
import { askConfirmation } from './confirmation.ts';
import { createCountProgress } from './count-progress.ts';
import { formatCount } from './count-text.ts';
import { CommandFailure } from './failure.ts';
import { pinningKeyHelp, pinningKeyOptions, readPinningKey } from './pinning-key.ts';
import { terminalSafe } from './terminal-text.ts';

export const resealCasesCommand = createCommand({
  usage: 'keys reseal --key FILE [--pins FILE] [--yes]',
  about: `Adopt the keys of this configuration, and seal the keys and notes of all open cases to them again.
Shows who comes and who goes, and asks. If it is interrupted, run it again: it goes on where it was.
With a desk key of the former team. The recovery key does it if all are lost, but opens no notes. Restart the service afterwards.`,
  help: [...pinningKeyHelp, ['--yes', 'do not ask for confirmation']],
  options: { ...pinningKeyOptions, yes: { type: 'boolean' } },
  operands: 0,
  work: async ({ yes, ...keyOptions }) => {
    const desk = await readPinningKey(keyOptions);
    const { seal, ...config } = loadConfig();
    const keys = await readSealingKeys({ seal, ...config });
    return await withStore(async (services) => {
      const { records } = services.store;
      const former = await findSealingSet(records);
      const set = buildSealingSet(keys, seal);
      const change = compareMembers(parseSealingSetMembers(former), parseSealingSetMembers(set));
      const count = await countCasesToReseal(records, keys.set);
      await requireOpeningKey(services, { identity: desk.identity, keys });
      const isSameSet = former?.tag === set.tag;
      if (!isSameSet) process.stderr.write(formatChange(change, count));
      if (!isSameSet && !yes && !(await askConfirmation('Type reseal to continue: ', 'reseal')))
        throw new CommandFailure('Not confirmed, so nothing was changed.', EXIT_CODES.failure);
      if (!isSameSet) {
        const by = computeHolder(await deriveRecipient(desk.identity));
        await replaceAdoptedSet(services, former, set, by);
      }
      const left = await resealWithProgress(services, { desk, keys, count });
      return buildResealReport(change, { isSameSet, count, left });
    });
  },
});

async function resealWithProgress(
  services: CliServices,
  { desk, keys, count }: { readonly desk: PinFile; readonly keys: SealingKeys; readonly count: number },
): Promise<UnsealedCase[]> {
  const { identity } = desk;
  const pins = await readPins(desk);
  const progress = createCountProgress('Sealing again', count);
  try {
    return await resealCases(services, {
      identity,
      keys,
      isPinnedKey: (id, key) => {
        const present = createKeyPin(identity, id, key);
        return !pins.some((pin) => isPinOfCase(pin, present) && !hasSamePinnedKey(pin, present));
      },
      onCase: progress.advance,
    });
  } finally {
    progress.end();
  }
}

interface MemberChange {
  readonly comes: readonly SealingSetMember[];
  readonly goes: readonly SealingSetMember[];
  readonly stays: readonly SealingSetMember[];
}

function compareMembers(
  former: readonly SealingSetMember[],
  today: readonly SealingSetMember[],
): MemberChange {
  const isIn = (list: readonly SealingSetMember[], { hash, role }: SealingSetMember) =>
    list.some((other) => other.hash === hash && (other.role === 'recovery') === (role === 'recovery'));
  return {
    comes: today.filter((member) => !isIn(former, member)),
    goes: former.filter((member) => !isIn(today, member)),
    stays: today.filter((member) => isIn(former, member)),
  };
}

function formatChange({ comes, goes, stays }: MemberChange, count: number): string {
  const lines = [
    ...comes.map((member) => `Comes: ${formatMember(member)}`),
    ...goes.map((member) => `Goes:  ${formatMember(member)}`),
    ...stays.map((member) => `Stays: ${formatMember(member)}`),
    `${formatCount(count, 'cases')} will be sealed again.`,
    ...(goes.length > 0
      ? ['A key that goes opens none of them afterwards, but its owner may have copied some before.']
      : []),
    'A service that still runs with the former keys stores no new case until it is restarted.',
  ];
  return `${lines.join('\n')}\n`;
}

function formatMember({ name, role, hash }: SealingSetMember): string {
  const fingerprint = formatKeyFingerprint(Buffer.from(hash, 'base64url'));
  return terminalSafe.line(
    name === null ? `${role} key ${fingerprint}` : `${name}, ${role}, key ${fingerprint}`,
  );
}

const RESTART = 'Now restart every instance.';
/** The keys were adopted by an earlier run, which may have been interrupted. */
const RESTART_IF_FORMER = 'Restart every instance that still runs with the former keys.';

const reasons: Readonly<Record<UnsealedCase['reason'], string>> = {
  other_key: 'does not open with this key',
  damaged: 'its key is damaged',
  not_pinned: 'its key is not the one that was pinned; see cases open',
  notes: 'the key was sealed again, but not every note: some do not open with this key',
};

function buildResealReport(
  change: MemberChange,
  result: {
    readonly isSameSet: boolean;
    readonly count: number;
    readonly left: readonly UnsealedCase[];
  },
): CommandReport {
  const { isSameSet, count, left } = result;
  const resealed = Math.max(0, count - left.length);
  const lines = left.map(
    ({ id, reason }) =>
      `${reason === 'notes' ? 'Left in part' : 'Left as it was'}: ${id}, ${reasons[reason]}\n`,
  );
  return {
    text:
      isSameSet && count === 0
        ? 'Nothing to do: every open case is sealed to the keys of this configuration.\n'
        : `${formatCount(resealed, 'cases')} sealed again.\n${lines.join('')}${isSameSet ? RESTART_IF_FORMER : RESTART}\n`,
    json: { ...change, resealed, left },
    fault: createLeftFailure(left),
  };
}

const advice: Readonly<Partial<Record<UnsealedCase['reason'], string>>> = {
  other_key: ': run it again with another key, such as the recovery key',
  notes: ': run it again with a desk key that opens their notes; without one, those notes are lost',
};

function createLeftFailure(left: readonly UnsealedCase[]): CommandFailure | undefined {
  const [first] = left;
  if (!first) return undefined;
  const isOneReason = left.every(({ reason }) => reason === first.reason);
  const hint = (isOneReason ? advice[first.reason] : undefined) ?? '';
  return new CommandFailure(
    `${formatCount(left.length, 'cases')} left ${hint === advice.notes ? 'in part' : 'as before'}${hint}.`,
    hint ? EXIT_CODES.noPermission : EXIT_CODES.dataError,
  );
}
