/** Says who seals or opens what is typed on a page: the server, until a script has begun to. */
import { PART_IDS, SEALED_WHERE, type SealedWhere } from '#wire/page-parts.ts';
import { type Html, html } from './html.ts';

export function renderSealingNote({ server, browser }: Readonly<Record<SealedWhere, Html>>): Html {
  return html`<div id="${PART_IDS.sealingNote}" class="note">
<p data-when="${SEALED_WHERE.server}">${server}</p>
<p data-when="${SEALED_WHERE.browser}" hidden>${browser}</p>
</div>`;
}
