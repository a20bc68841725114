/** The option by which an investigator says how many of the buyer's messages were read before writing. */
import type { DecryptedCase } from '#cases/decrypted-case.ts';
import type { PinFile } from '#desk-program/keys/pin-file.ts';
import { readSeenMarks, toSeenPath } from '#desk-program/keys/seen-file.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { MAX_MESSAGES } from '#seal/message.ts';
import { computeNextSeq } from '#seal/thread.ts';
import { createUsageFailure } from './command.ts';
import { formatCount } from './count-text.ts';
import { CommandFailure } from './failure.ts';

export const seenOption = { seen: { type: 'string' } } as const;
export const seenHelp = [
  '--seen N',
  'how many messages of the buyer you have read, as cases open tells; needed once the buyer has written',
] as const;

export function parseSeenOption({ seen }: { seen?: string }): number | undefined {
  if (seen === undefined) return undefined;
  if (/^\d{1,3}$/.test(seen) && Number(seen) <= MAX_MESSAGES) return Number(seen);
  throw createUsageFailure(`--seen takes a number from 0 to ${MAX_MESSAGES}`);
}

export function countBuyerMessages({ messages }: DecryptedCase): number {
  return computeNextSeq(messages, 'buyer');
}

/** Without the option, a command claims no more than the desk's earlier messages did: nobody may have read the rest. */
export function requireSeenCount(opened: DecryptedCase, seen: number | undefined): number {
  const stored = countBuyerMessages(opened);
  if (seen === undefined) {
    if (stored <= countClaimedMessages(opened)) return stored;
    throw new CommandFailure(
      'The buyer has written since the desk last did, so nothing was sent. Run cases open, and give the --seen that it prints.',
      EXIT_CODES.failure,
    );
  }
  if (seen <= stored) return seen;
  throw new CommandFailure(
    `--seen ${seen} is more than the buyer has written (${stored}), so nothing was sent. If you have read that many, some were removed since.`,
    EXIT_CODES.failure,
  );
}

/** How many messages of the buyer this key has seen at the end of the conversation that are not there any more. */
export async function countLostMessages(desk: PinFile, opened: DecryptedCase): Promise<number> {
  const seen = (await readSeenMarks(desk)).get(opened.record.id) ?? 0;
  return Math.max(0, seen - countBuyerMessages(opened));
}

export function formatLostMessages(lost: number): string {
  return `The office no longer has the last ${formatCount(lost, 'messages')} of the buyer that you have seen in this case.`;
}

/** Whoever hides a message must not get an answer to the rest. */
export function requireNothingLost(lost: number, { path }: PinFile): void {
  if (lost === 0) return;
  throw new CommandFailure(
    `${formatLostMessages(lost)} Nothing was written. A restore from a backup does this; if there was none, somebody has removed them: ask whoever runs the office. After a restore, move ${toSeenPath(path)} away.`,
    EXIT_CODES.dataError,
  );
}

function countClaimedMessages({ messages }: DecryptedCase): number {
  const claims = messages.map(({ by, claim }) =>
    by === 'desk' && typeof claim === 'object' ? claim.seen : 0,
  );
  return Math.max(0, ...claims);
}
