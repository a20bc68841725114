/** A page as Markdown: a pointer to the index, the page's source or main part, and a note about its forms. */
import { ENGLISH } from '#language/languages.ts';
import { agentPaths } from '#platform/addresses.ts';
import { type Html, html } from '../html.ts';
import { type HtmlPage, type PageFrame, renderIndexPointer } from '../page.ts';
import { renderSentence } from '../sentence.ts';
import { writeMarkdown } from './markdown-writer.ts';

/** The Markdown that a page is made from, if any. */
export interface MarkdownSource {
  readonly source?: {
    /** What the page shows before the Markdown. */
    readonly notes: Html;
    readonly markdown: string;
  };
}

/** `path` is the address of the page. */
export function writePageMarkdown(
  { site }: Pick<PageFrame, 'site'>,
  { main, source, language = ENGLISH }: HtmlPage & MarkdownSource,
  path: string,
): string {
  const write = (markup: Html) => writeMarkdown(markup.toString(), new URL(path, site));
  const first = `> ${write(html`<p>${renderIndexPointer(language)}</p>`)}`;
  if (source) {
    const notes = source.notes.toString() === '' ? '' : `${write(source.notes)}\n`;
    return `${first}\n${notes}${source.markdown.replaceAll('](/', `](${site}/`)}`;
  }
  if (!main.toString().includes('<form')) return `${first}\n${write(main)}`;
  const forms = renderSentence(language, 'markdown.forms', {
    page: (text) => html`<a href="${path}">${text}</a>`,
    docs: (text) => html`<a href="${agentPaths.docs}">${text}</a>`,
  });
  return [first, write(main), '---\n', write(html`<p>${forms}</p>`)].join('\n');
}
