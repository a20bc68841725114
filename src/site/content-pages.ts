/** The pages made from the operator's Markdown files: terms, refunds, privacy, safety and so on. */
import { findPreviousTerms } from '#cases/intake/terms.ts';
import { type ContentPage, readContentPage } from '#content/content-page.ts';
import {
  CONTENT_PAGES,
  type ContentPageName,
  getLocalContent,
  type SiteContent,
} from '#content/site-content.ts';
import type { Language } from '#language/language.ts';
import { ENGLISH } from '#language/languages.ts';
import { buildTermsPath } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import type { MarkdownNode } from '#seal/case/markdown.ts';
import type { Services } from '#services.ts';
import { type Html, html } from '#view/html.ts';
import { renderMarkdownPage } from '#view/markdown/markdown.ts';
import type { MarkdownSource } from '#view/markdown/markdown-writer.ts';
import { type HtmlPage, type PageFrame, SAFETY_PATH } from '#view/page.ts';
import { addPublicPageRoutes } from '#view/public-page.ts';
import { findPreferredCountry } from '#view/request-language.ts';
import { renderSentence } from '#view/sentence.ts';
import { createReadablePage, type ReadablePages } from '#view/static-page.ts';
import { formatCountryName } from '#wire/said-text.ts';

export function addContentRoutes(
  app: App,
  services: Pick<Services, 'content' | 'store' | 'terms'>,
  frame: PageFrame,
): void {
  const { content, terms } = services;
  for (const name of CONTENT_PAGES) {
    const route = `/${name}`;
    const getPage = createReadablePage(frame, route, (language) => {
      const page = getLocalContent(content, language).pages[name];
      const note = name === 'terms' ? renderTermsVersion(language, terms.version, page) : null;
      return renderContentPage(language, name, page, { note });
    });
    const getReaderPage = name === 'safety' ? createSafetyPages(content, frame, getPage) : getPage;
    addPublicPageRoutes(app, frame, { route, getPage, getReaderPage });
  }
  addPublicPageRoutes(app, frame, {
    route: buildTermsPath(':version'),
    getPage: createTermsVersionPages(services, frame),
  });
}

/** Puts the helplines of the reader's country first, if the browser names one that the list has. */
function createSafetyPages(content: SiteContent, frame: PageFrame, getPage: ReadablePages): ReadablePages {
  const pages = new Map(
    content.helplineCountries.map((country) => [
      country,
      createReadablePage(frame, SAFETY_PATH, (language) =>
        renderContentPage(language, 'safety', getLocalContent(content, language).pages.safety, { country }),
      ),
    ]),
  );
  return async (request) => await (pages.get(findPreferredCountry(request)) ?? getPage)(request);
}

/** Cached only for versions that existed, so that a visitor cannot fill the memory with others. */
function createTermsVersionPages(
  services: Pick<Services, 'content' | 'store' | 'terms'>,
  frame: PageFrame,
): ReadablePages {
  const kept = new Map<string, ReadablePages>();
  return async (request) => {
    const { version } = request.params as { readonly version: string };
    const getPage =
      kept.get(version) ??
      createReadablePage(frame, buildTermsPath(version), async (language) => {
        const { description: _listed, ...page } = await renderKeptTerms(services, language, version);
        return page;
      });
    const page = await getPage(request);
    kept.set(version, getPage);
    return page;
  };
}

async function renderKeptTerms(
  services: Pick<Services, 'content' | 'store' | 'terms'>,
  language: Language,
  version: string,
): Promise<HtmlPage & MarkdownSource> {
  const { terms, content } = services;
  if (version === terms.version) {
    const { terms: page } = content.pages;
    return renderContentPage(language, 'terms', page, { note: renderTermsVersion(language, version, page) });
  }
  const kept = await findPreviousTerms(services, version);
  if (!kept) throw new ServiceError('not_found');
  const page = readContentPage(kept.text, version, ENGLISH.tag);
  return renderContentPage(language, 'terms', page, { note: renderPreviousTermsNote(language, version) });
}

/** The address identifies the text that a case agreed to, as long as the service exists. That text is in English. */
function renderTermsVersion(language: Language, version: string, { lang }: ContentPage): Html {
  const sentence = renderSentence(language, 'content.terms.version', {
    version,
    link: (text) => html`<a class="code" href="${buildTermsPath(version)}">${text}</a>`,
  });
  const english = (text: Html) => html`<a href="${buildTermsPath(version)}">${text}</a>`;
  const courtesy =
    lang === ENGLISH.tag
      ? null
      : html`<p class="note">${renderSentence(language, 'content.terms.courtesy', { link: english })}</p>\n`;
  return html`${courtesy}<p class="small">${sentence}</p>`;
}

function renderPreviousTermsNote(language: Language, version: string): Html {
  const sentence = renderSentence(language, 'content.terms.former', {
    version,
    code: (text) => html`<span class="code">${text}</span>`,
    link: (text) => html`<a href="/terms">${text}</a>`,
  });
  return html`<p class="note">${sentence}</p>`;
}

function renderContentPage(
  language: Language,
  name: ContentPageName,
  page: ContentPage,
  { note = null, country }: { readonly note?: Html | null; readonly country?: string } = {},
): HtmlPage & MarkdownSource {
  const { title, description, lang, markdown } = page;
  const { say, tag, direction } = language;
  const isForeign = lang !== tag;
  const hint = isForeign ? html`<p class="small">${say('content.english')}</p>\n` : null;
  // Regardless of the operator's file, readers must not mistake the sample for a real case.
  const mark = name === 'sample' ? html`<p><b>${say('content.sample.mark')}</b></p>\n` : null;
  const notes = html`${hint}${note}${mark}`;
  const own = isForeign ? html`<div lang="${tag}" dir="${direction}">${notes}</div>` : notes;
  return {
    // A single word would be too vague as a window title.
    title: `${title}: ${say(`content.${name}`)}`,
    description,
    language,
    source: { notes, markdown },
    main: html`<div class="wrap text" lang="${isForeign ? lang : null}" dir="${isForeign ? 'ltr' : null}">
<h1>${title}</h1>
${own}${renderContentBody(language, name, page, country)}
</div>`,
  };
}

function renderContentBody(
  { say }: Language,
  name: ContentPageName,
  { nodes, lang }: ContentPage,
  country: string | undefined,
): Html {
  if (name === 'sample') return html`<div class="paper">${renderMarkdownPage(nodes)}</div>`;
  const [own, others] = splitFirstTable(nodes, country && formatCountryName(country, lang));
  if (!own || !others) return renderMarkdownPage(nodes);
  const place = nodes.findIndex(isTable);
  return html`${renderMarkdownPage([...nodes.slice(0, place), own])}
<details class="help"><summary>${say('content.safety.others')}</summary>${renderMarkdownPage([others])}</details>
${renderMarkdownPage(nodes.slice(place + 1))}`;
}

/** Splits the first table in two: the rows with this heading, and all others. Empty if no row has it. */
function splitFirstTable(nodes: ContentPage['nodes'], heading: string | undefined) {
  const table = nodes.find(isTable);
  const body = table?.children.find((part) => typeof part !== 'string' && part.tag === 'tbody');
  if (!table || typeof body !== 'object' || !heading) return [];
  const isOwn = (row: MarkdownNode) =>
    typeof row !== 'string' &&
    row.children.some((cell) => typeof cell !== 'string' && cell.children[0] === heading);
  const pick = (rows: readonly MarkdownNode[]) => ({
    ...table,
    children: table.children.map((part) => (part === body ? { ...body, children: rows } : part)),
  });
  const own = body.children.filter(isOwn);
  return own.length > 0 ? [pick(own), pick(body.children.filter((row) => !isOwn(row)))] : [];
}

function isTable(node: MarkdownNode): node is Exclude<MarkdownNode, string> {
  return typeof node !== 'string' && node.tag === 'table';
}
