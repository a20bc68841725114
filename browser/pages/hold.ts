/** Runs before a page with a sealed form is shown: holds the form back until the page's script has run or failed. */
import { enableQuickExit, forgetPageOnceLeft } from '#browser/ui/leave-button.ts';
import { SCRIPTED_CLASS, STARTING_CLASS } from '#wire/page-parts.ts';

const { classList } = document.documentElement;
let held: SubmitEvent | undefined;

function holdSubmit(event: SubmitEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
  held = event;
}

/** Resubmits a held form to the script. Without the script it would be sent unsealed, so the person decides again. */
function releaseSubmit(): void {
  removeEventListener('submit', holdSubmit, true);
  if (classList.contains(SCRIPTED_CLASS))
    (held?.target as HTMLFormElement | undefined)?.requestSubmit(held?.submitter);
  else classList.remove(STARTING_CLASS);
}

enableQuickExit();
forgetPageOnceLeft();
classList.add(STARTING_CLASS);
addEventListener('submit', holdSubmit, true);
// Fires after deferred scripts have run or failed (HTML, “The end”).
addEventListener('DOMContentLoaded', releaseSubmit);
