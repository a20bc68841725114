/** What re-sealing works on, and the report of what it has changed and what remains, for people and for scripts. */
import type { RecipientSetMember } from '#cases/sealing/recipient-set.ts';
import type { RefundToReseal } from '#cases/sealing/reseal.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { CaseToReseal, ResealedCase } from '#seal/case/resealed-case.ts';
import { type CaseKeyRecipients, formatKeyFingerprint } from '#seal/core/case-key.ts';
import type { RecipientSet } from '#store/keys/recipient-set.ts';
import type { CommandReport } from '../command.ts';
import { formatCount, terminalSafe } from '../terminal/table.ts';

/** Why a case was not sealed again; `notes` means only its notes, because this key does not open them. */
export interface UnsealedCase {
  readonly id: string;
  readonly reason: 'other_key' | 'damaged' | 'not_pinned' | 'notes';
}

type MemberChange = ReturnType<typeof compareMembers>;

export function compareMembers(
  previous: readonly RecipientSetMember[],
  today: readonly RecipientSetMember[],
) {
  const isIn = (list: readonly RecipientSetMember[], { hash, role }: RecipientSetMember) =>
    list.some((other) => other.hash === hash && (other.role === 'recovery') === (role === 'recovery'));
  return {
    comes: today.filter((member) => !isIn(previous, member)),
    goes: previous.filter((member) => !isIn(today, member)),
    stays: today.filter((member) => isIn(previous, member)),
  };
}

export function formatMemberChange({ comes, goes, stays }: MemberChange, count: number): string {
  const lines = [
    ...comes.map((member) => `Joins:  ${formatMember(member)}`),
    ...goes.map((member) => `Leaves: ${formatMember(member)}`),
    ...stays.map((member) => `Stays:  ${formatMember(member)}`),
    `${formatCount(count, 'cases')} will be sealed again.`,
    ...(goes.length > 0
      ? ['A removed key opens none of them afterwards, but its owner may have copied some before.']
      : []),
    'A service that still runs with the previous keys stores no new case until it is restarted.',
  ];
  return `${lines.join('\n')}\n`;
}

export function formatMember({ name, role, hash }: RecipientSetMember): string {
  const fingerprint = formatKeyFingerprint(Buffer.from(hash, 'base64url'));
  return terminalSafe.line(
    name === null ? `${role} key ${fingerprint}` : `${name}, ${role}, key ${fingerprint}`,
  );
}

const RESTART = 'Now restart every instance.';
/** For keys that were adopted by an earlier run, which may have been interrupted. */
const RESTART_IF_PREVIOUS = 'Restart every instance that still runs with the previous keys.';

const reasons: Readonly<Record<UnsealedCase['reason'], string>> = {
  other_key: 'does not open with this key',
  damaged: 'its key is damaged',
  not_pinned: 'its key is not the one that was pinned; see cases open',
  notes: 'the key was sealed again, but not every note: some do not open with this key',
};

export interface ResealWork {
  readonly resealed: number;
  readonly left: readonly UnsealedCase[];
  /** The number of unsealed cases at the end, including those in `left`. */
  readonly unsealed: number;
  /** Refunds that were not sealed again. */
  readonly leftRefunds: number;
}

export function buildResealReport(
  change: MemberChange,
  { resealed, left, unsealed, leftRefunds }: ResealWork,
  { isSameSet, count }: { readonly isSameSet: boolean; readonly count: number },
): CommandReport {
  const unexplained = Math.max(0, unsealed - left.length);
  const others = Math.max(0, count - resealed - left.length - unexplained);
  const otherLine =
    others === 0
      ? ''
      : `${formatCount(others, 'cases')} sealed again by another run, or purged, in the meantime.\n`;
  const lines = left.map(
    ({ id, reason }) =>
      `${reason === 'notes' ? 'Only partly sealed again' : 'Left as it was'}: ${id}, ${reasons[reason]}\n`,
  );
  return {
    text:
      isSameSet && count === 0
        ? 'Nothing to do: every case that is not purged yet is sealed to these keys.\n'
        : `${formatCount(resealed, 'cases')} sealed again.\n${otherLine}${lines.join('')}${isSameSet ? RESTART_IF_PREVIOUS : RESTART}\n`,
    json: { ...change, resealed, left, unsealed, left_refunds: leftRefunds },
    fault: createLeftFailure(left) ?? createRestFailure(unexplained, leftRefunds),
  };
}

/** Cases that another run stored in part, or that could not be reached, must not be reported as sealed again. */
function createRestFailure(cases: number, refunds: number): ProgramError | undefined {
  if (cases > 0)
    return new ProgramError(
      `${formatCount(cases, 'cases')} still sealed to previous keys: run the command again.`,
      EXIT_CODES.unavailable,
    );
  if (refunds === 0) return undefined;
  return new ProgramError(
    `${formatCount(refunds, 'refunds')} left as before, since this key does not open ${refunds === 1 ? 'it' : 'them'}: run the command again with another key.`,
    EXIT_CODES.noPermission,
  );
}

const advice: Readonly<Partial<Record<UnsealedCase['reason'], string>>> = {
  other_key:
    ': run the command again with another key, such as the recovery key on the machine of the database',
  notes:
    ': run the command again with a desk key that opens the remaining notes; without one, those notes are lost',
};

function createLeftFailure(left: readonly UnsealedCase[]): ProgramError | undefined {
  const [first] = left;
  if (!first) return undefined;
  const isOneReason = left.every(({ reason }) => reason === first.reason);
  const hint = (isOneReason ? advice[first.reason] : undefined) ?? '';
  return new ProgramError(
    `${formatCount(left.length, 'cases')} ${hint === advice.notes ? 'only partly sealed again' : 'left as before'}${hint}.`,
    hint ? EXIT_CODES.noPermission : EXIT_CODES.dataError,
  );
}

export interface ResealSource {
  /** Whom to seal to, from files or settings of this machine, never from an office. */
  readonly holders: CaseKeyRecipients;
  readonly set: RecipientSet;
  /** The set that is adopted now. */
  readonly previous: RecipientSet | undefined;
  readonly countLeft: () => Promise<number>;
  /** Fails if another run has since adopted a different set. */
  readonly adopt: () => Promise<void>;
  readonly streamCases: () => AsyncGenerator<CaseToReseal>;
  /** Returns how many cases this completes: an office is sent many at once. */
  readonly storeCase: (previous: CaseToReseal, resealed: ResealedCase) => Promise<number>;
  /** Yields the refunds that are owed. */
  readonly streamRefunds: () => AsyncGenerator<RefundToReseal>;
  readonly storeRefund: (refund: RefundToReseal) => Promise<void>;
  /** Stores the rest and overwrites what the previous keys opened; returns how many it stored and how many remain. */
  readonly finish: () => Promise<{ readonly stored: number; readonly unsealed: number }>;
}
