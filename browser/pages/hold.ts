/** Runs before a page with a sealed form is shown: holds the form back until the page's script has run or failed. */
import { enableQuickExit } from '#browser/ui/leave-button.ts';
import { STARTING_CLASS } from '#wire/page-parts.ts';

/** Longer than a page waits for its worker: if the script broke, the page must not stay in this state. */
const GIVE_UP_MS = 35_000;

const { classList } = document.documentElement;
const endStart = () => classList.remove(STARTING_CLASS);
let held: SubmitEvent | undefined;

function holdSubmit(event: SubmitEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
  held = event;
}

/** What was submitted meanwhile goes now, through the page's script if that has run. */
function releaseSubmit(): void {
  removeEventListener('submit', holdSubmit, true);
  (held?.target as HTMLFormElement | undefined)?.requestSubmit(held?.submitter);
}

enableQuickExit();
classList.add(STARTING_CLASS);
addEventListener('submit', holdSubmit, true);
// Comes after deferred scripts have run or failed (HTML, “The end”).
addEventListener('DOMContentLoaded', releaseSubmit);
addEventListener('error', ({ target }) => target instanceof HTMLScriptElement && endStart(), true);
setTimeout(endStart, GIVE_UP_MS);
