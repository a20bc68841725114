/** What the sender of the form agrees to, in the version that the form posts. */
import { buildTermsPath } from '#platform/addresses.ts';
import { type Html, html } from '#view/html.ts';

export function renderTermsNote(version: string): Html {
  return html`<p class="hint">When you send this, you agree to our <a href="${buildTermsPath(version)}">terms</a>. Here is <a href="/refunds">when you get your money back</a>.</p>`;
}
