/** A case that a command reads or writes to: opened and sealed by the desk's own client. */
import type { PinFile } from '#desk/keys/pin-file.ts';
import { toSeenPath } from '#desk/keys/seen-file.ts';
import type { DeskOpenedCase } from '#desk/office/case-reader.ts';
import type { DeskReply } from '#desk/office/case-writer.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { MAX_MESSAGES, messageKinds } from '#seal/case/message.ts';
import type { DeskCase } from '#wire/desk-cases.ts';
import { createUsageFailure } from '../command.ts';
import type { OfficeLink } from '../office-link.ts';
import { getIo } from '../terminal/io.ts';
import { requireCase, withAssigneeNamed } from './office-cases.ts';

export const seenOption = { seen: { type: 'string' } } as const;
export const seenHelp = [
  '--seen N',
  'how many messages from the buyer you have read, as printed by cases open; required once the buyer has written',
] as const;

export function parseSeenOption({ seen }: { seen?: string }): number | undefined {
  if (seen === undefined) return undefined;
  if (/^\d{1,3}$/.test(seen) && Number(seen) <= MAX_MESSAGES) return Number(seen);
  throw createUsageFailure(`--seen takes a number from 0 to ${MAX_MESSAGES}`);
}

/** Prints the fingerprint when this key opens the case for the first time. */
export async function openNamedCase(
  link: OfficeLink,
  operand: string | undefined,
  { marksSeen = false } = {},
): Promise<DeskOpenedCase> {
  const { facts } = await requireCase(link, operand);
  const opened = await link.office.readCase(facts.id, { marksSeen });
  const { isFirstOpening, fingerprint } = opened;
  if (isFirstOpening)
    getIo().stderr.write(
      `First opening of this case with your key: its fingerprint, ${fingerprint}, is pinned in ${link.office.key.path}. The buyer's case page shows the same fingerprint, unless the key was replaced.\n`,
    );
  return opened;
}

/** `seen` is how many messages of the buyer the investigator claims to have read. */
export async function sendReply(
  link: OfficeLink,
  opened: DeskOpenedCase,
  reply: DeskReply,
  seen: number | undefined,
): Promise<DeskCase> {
  requireNothingLost(opened, link.office.key);
  const { id } = opened.facts;
  const message = { ...reply, seen: { ...opened.seen, buyer: requireSeenCount(opened, seen) } };
  return await withAssigneeNamed(link, id, () => link.office.sendMessage(id, message));
}

/** Without `--seen`, a command claims only what the desk's earlier messages claimed: the rest may be unread. */
function requireSeenCount(opened: DeskOpenedCase, seen: number | undefined): number {
  const stored = opened.seen.buyer;
  if (seen === undefined) {
    if (stored <= countClaimedMessages(opened)) return stored;
    throw new ProgramError(
      'The buyer has written since the last message from the desk, so nothing was sent. Run cases open, and add the --seen that it prints.',
    );
  }
  if (seen <= stored) return seen;
  throw new ProgramError(
    `--seen ${seen} is more than the buyer has written (${stored}), so nothing was sent. If you have read that many, some have been removed since.`,
  );
}

function countClaimedMessages({ content }: DeskOpenedCase): number {
  const claims = content.messages.map(({ by, claim }) =>
    by === 'desk' && typeof claim === 'object' ? claim.seen : 0,
  );
  return Math.max(0, ...claims);
}

/** Refuses to reply if the office hides a message that this key has seen. */
export function requireNothingLost({ gaps, seen }: DeskOpenedCase, { path }: PinFile): void {
  const lost = gaps.find(({ kind, last }) => kind === messageKinds.buyer && last >= seen.buyer);
  if (!lost) return;
  throw new ProgramError(
    `${lost.text} Nothing was written. A restore from a backup can cause this. If nothing was restored, the message was removed from the records: ask the operator. After a restore, move ${toSeenPath(path)} away.`,
    EXIT_CODES.dataError,
  );
}
