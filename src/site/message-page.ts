/** A page that says one thing and what to do next. */
import { type Html, html } from '#view/html.ts';
import type { Page } from '#view/page.ts';

interface Message {
  readonly title: string;
  readonly paragraphs: readonly (Html | string)[];
  readonly status?: number;
  /** Where to go from here. */
  readonly next?: { readonly href: string; readonly text: string };
}

/** Confidential, since such a page mostly shows up on the way to or from a case. */
export function renderMessagePage({ title, paragraphs, status = 200, next }: Message): Page {
  const act = next
    ? html`<div class="acts"><a class="button" href="${next.href}">${next.text}</a></div>`
    : null;
  return {
    title,
    status,
    confidential: true,
    main: html`<div class="wrap text">
<h1>${title}</h1>
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}${act}
</div>`,
  };
}
