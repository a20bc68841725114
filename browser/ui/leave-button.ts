/** The quick way out: the screen is cleared at once, and the page gives up its place in the history. */
import { findById } from './find.ts';

const PRESSES = 3;
const WITHIN_MS = 2_000;

let warning = false;

/** The link of the header works without this too; it then leaves the page behind in the history. */
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

/** Asks before the page is closed, unless by the quick way out. */
export function setUnloadWarning(wanted: boolean): void {
  warning = wanted;
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

function onThreeEscapes(act: () => void): void {
  let presses: number[] = [];
  document.addEventListener('keydown', ({ key, repeat, timeStamp }) => {
    if (repeat) return;
    presses = key === 'Escape' ? [...presses.filter((at) => timeStamp - at < WITHIN_MS), timeStamp] : [];
    if (presses.length === PRESSES) act();
  });
}
