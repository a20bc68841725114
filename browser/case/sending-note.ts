/** Says how far the files of a message have got, also for screen readers. */
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import { findByData } from '#browser/ui/find.ts';
import { formatStepPercent, say } from '#browser/ui/say.ts';

/** What moves on keeps the case open; what only waits does not. */
export function createSendingNote(markActivity: () => void): ProgressCallback {
  return (share, isWaiting = false) => {
    if (!isWaiting) markActivity();
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
