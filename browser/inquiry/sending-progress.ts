/** Shows the progress of sealing and sending, also for screen readers. */
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import { findAllWithData, findById } from '#browser/ui/find.ts';
import { formatStepPercent, say } from '#browser/ui/say.ts';

export interface SendingProgress {
  begin(): void;
  readonly advance: ProgressCallback;
  end(): void;
}

export function createSendingProgress(): SendingProgress {
  const box = findById('progress');
  const bar = box?.querySelector('progress');
  const status = box?.querySelector('[role="status"]');
  const button = findById('send');
  const setProgressVisible = (isVisible: boolean) => {
    if (box) box.hidden = !isVisible;
    if (button) button.disabled = isVisible;
    // The form has already been read, so a change would be silently ignored.
    for (const step of findAllWithData(document, 'step')) step.inert = isVisible;
  };
  const advance = (share: number, isWaiting = false) => {
    if (bar) bar.value = share * bar.max;
    const percent = formatStepPercent(share);
    const sentence = isWaiting ? say('files.waiting') : say('inquiry.sending.percent', { percent });
    if (status && status.textContent !== sentence) status.textContent = sentence;
  };
  return {
    begin: () => {
      setProgressVisible(true);
      advance(0);
    },
    advance,
    end: () => setProgressVisible(false),
  };
}
