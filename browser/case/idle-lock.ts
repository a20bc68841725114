/** Closes the case after a quarter of an hour in which nobody did anything, with a warning a minute before. */
import { findByData, findById } from '#browser/ui/find.ts';
import { say } from '#browser/ui/say.ts';
import { type CaseVisit, runEveryFewSeconds } from './case-visit.ts';

const MINUTE_MS = 60_000;
const IDLE_MINUTES = 15;
/** Not `scroll`: the page also scrolls by itself when news come in. Who scrolls does it with one of these. */
const ACTIVITY = ['input', 'keydown', 'pointerdown', 'pointermove', 'touchmove', 'wheel'] as const;

/** `close` gets the reason. Returns a function for what goes on without the person, such as a long download. */
export function closeWhenIdle({ ended }: CaseVisit, close: (reason: string) => void): () => void {
  let last = readClocks();
  const checkIdle = () => {
    const idleMs = computeElapsed(last);
    if (ended.aborted) return;
    if (idleMs >= IDLE_MINUTES * MINUTE_MS) close(say('lock.idle', { minutes: IDLE_MINUTES }));
    else showWarning(idleMs >= (IDLE_MINUTES - 1) * MINUTE_MS);
  };
  const markActivity = () => {
    // The first touch after a long sleep must not find the case open.
    checkIdle();
    last = readClocks();
  };
  for (const type of ACTIVITY)
    document.addEventListener(type, markActivity, { signal: ended, passive: true, capture: true });
  runEveryFewSeconds(checkIdle, ended);
  // Other activity takes the warning away a little later: not from under the pointer that comes to this button.
  const onClick = ({ target }: Event) => {
    if (target === findById('stay')) checkIdle();
  };
  document.addEventListener('click', onClick, { signal: ended });
  return markActivity;
}

/** The first of them goes on while a phone sleeps, but may be set; the other may stop, but never goes back. */
function readClocks(): readonly [number, number] {
  return [Date.now(), performance.now()];
}

function computeElapsed(since: readonly [number, number]): number {
  return Math.max(...readClocks().map((now, index) => now - (since[index] ?? now)));
}

function showWarning(isNear: boolean): void {
  const warning = findByData('part', 'idle');
  const text = findByData('slot', 'idle');
  if (!warning || !text || warning.hidden !== isNear) return;
  warning.hidden = !isNear;
  // Screen readers say what is put into an alert, not what was there before.
  text.textContent = isNear ? say('lock.warning') : '';
}
