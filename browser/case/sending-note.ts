/** Shows how much of a message's files has been sent, also to screen readers. */
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import { findByData } from '#browser/ui/find.ts';
import { formatStepPercent, say } from '#browser/ui/say.ts';

/** Counts as activity even without a connection: the buyer is asked to keep the page open. */
export function createSendingNote(markActivity: () => void): ProgressCallback {
  return (share, isWaiting = false) => {
    markActivity();
    const percent = formatStepPercent(share);
    writeSendingNote(isWaiting ? say('files.waiting') : say('inquiry.sending.percent', { percent }));
  };
}

export function clearSendingNote(): void {
  writeSendingNote('');
}

function writeSendingNote(sentence: string): void {
  const note = findByData('part', 'sending');
  if (note && note.textContent !== sentence) note.textContent = sentence;
}
