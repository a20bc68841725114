/** A page of one column: a heading with a sentence, and the content below. */
import { type Html, html } from '#view/html.ts';

interface ColumnPage {
  readonly title: string;
  readonly about: string;
  readonly main: Html;
}

export function renderColumnPage({ title, about, main }: ColumnPage): Html {
  return html`<main class="page" id="main"><div class="wrap">
<header class="page-head"><h1>${title}</h1><p class="small">${about}</p></header>
${main}
</div></main>`;
}

/** Shown instead of a page that is for owners only. */
export function renderOwnersOnly(title: string, about: string): Html {
  return renderColumnPage({
    title,
    about,
    main: html`<div class="empty"><p class="title">This page is for owners</p><p>Your key has the role of investigator. At the office, roles are set in the file named by DESK_RECIPIENTS_FILE.</p></div>`,
  });
}
