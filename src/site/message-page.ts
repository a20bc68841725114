/** A page with a short message and a link to the next step. */
import type { Language } from '#language/language.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';

interface MessagePageInput {
  /** English, if the page is not in the catalogue yet. */
  readonly language?: Language;
  readonly title: string;
  readonly paragraphs: readonly (Html | string)[];
  readonly status?: number;
  readonly next?: { readonly href: string; readonly text: string };
}

/** Confidential, because most of these pages appear on the way to or from a case. */
export function renderMessagePage({
  language,
  title,
  paragraphs,
  status = 200,
  next,
}: MessagePageInput): HtmlPage {
  const nextLink = next
    ? html`<div class="acts"><a class="button" href="${next.href}">${next.text}</a></div>`
    : null;
  return {
    title,
    status,
    ...(language && { language }),
    confidential: true,
    main: html`<div class="wrap text">
<h1>${title}</h1>
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}${nextLink}
</div>`,
  };
}
