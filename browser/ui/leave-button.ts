/** The quick exit: clears the screen at once and replaces the page in the history. */
import { findById } from './find.ts';

const PRESSES = 3;
const WITHIN_MS = 2_000;

let warning = false;

/** Without a script the link in the header works too, but the page stays in the history. */
export function enableQuickExit(): void {
  const link = findById('leave');
  if (!link) return;
  link.title = 'Or press Escape three times';
  link.addEventListener('click', (event) => {
    event.preventDefault();
    leavePage(link.href);
  });
  onThreeEscapes(() => leavePage(link.href));
}

/** Asks before the page is closed, except by the quick exit. */
export function setUnloadWarning(enabled: boolean): void {
  warning = enabled;
}

addEventListener('beforeunload', (event) => {
  if (warning) event.preventDefault();
});

function leavePage(address: string): void {
  warning = false;
  document.title = '';
  document.body.replaceChildren();
  location.replace(address);
}

function onThreeEscapes(callback: () => void): void {
  let presses: number[] = [];
  document.addEventListener('keydown', ({ key, repeat, timeStamp }) => {
    if (repeat) return;
    presses = key === 'Escape' ? [...presses.filter((at) => timeStamp - at < WITHIN_MS), timeStamp] : [];
    if (presses.length === PRESSES) callback();
  });
}
