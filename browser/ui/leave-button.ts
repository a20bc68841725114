/** Leaving a page: the quick exit clears the screen at once, and pages that Back must not show are emptied. */
import { findById } from './find.ts';

const PRESSES = 3;
const WITHIN_MS = 2_000;

/** Dispatched for the other scripts of the page. */
export const QUICK_EXIT_EVENT = 'quickexit';

let isLeaving = false;

/** Works from the first moment of the page. Without a script the link works too, but the page stays in the history. */
export function enableQuickExit(): void {
  document.addEventListener('click', (event) => {
    if (!findById('leave')?.contains(event.target as Node)) return;
    event.preventDefault();
    leavePage();
  });
  onThreeEscapes(leavePage);
  // A buyer who must leave quickly is not asked for confirmation. Window listeners run in the order in which they were
  // added, capturing or not, so this one has to be the first.
  addEventListener('beforeunload', (event) => {
    if (isLeaving) event.stopImmediatePropagation();
  });
}

/** Back and Forward restore typed text even with `no-store`, so a private page is emptied when it is left. */
export function forgetPageOnceLeft(): void {
  addEventListener('pagehide', clearScreen);
  addEventListener('pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) location.reload();
  });
}

function clearScreen(): void {
  isLeaving = true;
  document.title = '';
  document.body.replaceChildren();
}

function leavePage(): void {
  const link = findById('leave');
  if (!link) return;
  clearScreen();
  document.dispatchEvent(new Event(QUICK_EXIT_EVENT));
  clearTabStorage();
  location.replace(link.href);
}

/** The form's own script also does this, but may not have loaded. */
function clearTabStorage(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Browsers that block site data throw, so nothing is stored.
  }
}

function onThreeEscapes(callback: () => void): void {
  let presses: number[] = [];
  document.addEventListener('keydown', ({ key, repeat, timeStamp }) => {
    if (repeat) return;
    presses = key === 'Escape' ? [...presses.filter((at) => timeStamp - at < WITHIN_MS), timeStamp] : [];
    if (presses.length === PRESSES) callback();
  });
}
