/** How far sealing and sending has come, for eyes and for screen readers. */
import { findById } from '#browser/ui/find.ts';

export interface SendingProgress {
  begin(): void;
  readonly advance: (share: number) => void;
  end(): void;
}

/** How often a screen reader is told. */
const STEP = 10;

export function createSendingProgress(): SendingProgress {
  const box = findById('progress');
  const bar = box?.querySelector('progress');
  const status = box?.querySelector('[role="status"]');
  const button = findById('send');
  const setProgressVisible = (isShown: boolean) => {
    if (box) box.hidden = !isShown;
    if (button) button.disabled = isShown;
  };
  const advance = (share: number) => {
    if (bar) bar.value = share * bar.max;
    const percent = Math.floor((share * 100) / STEP) * STEP;
    const sentence = `Sealing and sending: ${percent} %. Keep this page open.`;
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
