/** Says where the reader's text is sealed or opened: on the server, or in the browser once the script runs. */
import { PART_IDS, SEALED_WHERE, type SealedWhere } from '#wire/page-parts.ts';
import { type Html, html } from './html.ts';

export function renderSealingNote({ server, browser }: Readonly<Record<SealedWhere, Html>>): Html {
  return html`<div id="${PART_IDS.sealingNote}" class="note" role="status">
<p data-when="${SEALED_WHERE.server}">${server}</p>
<p data-when="${SEALED_WHERE.browser}" hidden>${browser}</p>
</div>`;
}
