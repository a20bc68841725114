/** A page as Markdown: its main part, between the way to everything else and what to do with its forms. */
import { ENGLISH } from '#language/languages.ts';
import { agentPaths } from '#platform/addresses.ts';
import { html } from './html.ts';
import { writeMarkdown } from './markdown-writer.ts';
import type { HtmlPage, PageFrame } from './page.ts';
import { renderSentence } from './sentence.ts';

/** `path` is the address of the page. */
export function writePageMarkdown(
  { site }: Pick<PageFrame, 'site'>,
  { main, language = ENGLISH }: HtmlPage,
  path: string,
): string {
  const index = renderSentence(language, 'markdown.index', {
    link: (text) => html`<a href="${agentPaths.llms}">${text}</a>`,
  });
  const forms = renderSentence(language, 'markdown.forms', {
    page: (text) => html`<a href="${path}">${text}</a>`,
    docs: (text) => html`<a href="${agentPaths.docs}">${text}</a>`,
  });
  const hasForms = main.toString().includes('<form');
  return writeMarkdown(
    html`<blockquote><p>${index}</p></blockquote>${main}${hasForms ? html`<hr><p>${forms}</p>` : null}`.toString(),
    new URL(path, site),
  );
}
