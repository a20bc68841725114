/** The box on the form that keeps a draft in this tab, and the notes on what became of one; all need a script. */
import { html } from '#view/html.ts';
import { DRAFT_PARTS, INQUIRY_PART_IDS } from '#wire/inquiry-page.ts';

/** The box has no name: it is not sent. */
export const draftChoice = html`<div data-part="${DRAFT_PARTS.choice}" hidden><label class="with-address"><input type="checkbox" id="${INQUIRY_PART_IDS.keepDraft}"><span>Keep what I type if this page reloads <span class="hint">This tab then holds your text and your twelve words, locked. We hold half of the key, and delete it once you send the form, leave with the exit button, or after a day. Don’t tick this if somebody else may use this browser before then.</span></span></label></div>
<p class="note" role="status" data-part="${DRAFT_PARTS.restored}" hidden><b>We brought back what you typed.</b> Your twelve words are the same as before. Please choose your files again.</p>
<p class="note" role="status" data-part="${DRAFT_PARTS.lost}" hidden><b>What you typed before could not be brought back.</b> A draft is kept for a day at most. Nothing of it is left.</p>
<p class="note" role="status" data-part="${DRAFT_PARTS.failed}" hidden><b>Your text is not being kept.</b> We could not be reached. Tick the box again in a moment.</p>`;
