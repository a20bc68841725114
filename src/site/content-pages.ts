/** The pages that are Markdown files of the operator's: terms, refunds, privacy, safety and so on. */
import { findPreviousTerms } from '#cases/intake/terms.ts';
import { type ContentPage, readContentPage } from '#content/content-page.ts';
import { CONTENT_PAGES, type ContentPageName, getLocalContent } from '#content/site-content.ts';
import type { Language } from '#language/language.ts';
import { ENGLISH } from '#language/languages.ts';
import { buildTermsPath } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { createReadablePage, type ReadablePages } from '#view/document.ts';
import { type Html, html } from '#view/html.ts';
import { renderMarkdownPage, renderMarkdownPageWithNames } from '#view/markdown/markdown.ts';
import type { MarkdownSource } from '#view/markdown/page-markdown.ts';
import type { HtmlPage, PageFrame } from '#view/page.ts';
import { addPublicPageRoutes } from '#view/public-page.ts';
import { renderSentence } from '#view/sentence.ts';

export function addContentRoutes(
  app: App,
  services: Pick<Services, 'content' | 'store' | 'terms'>,
  frame: PageFrame,
): void {
  const { content, terms } = services;
  for (const name of CONTENT_PAGES) {
    const route = `/${name}`;
    const getPage = createReadablePage(frame, route, (language) => {
      const note = name === 'terms' ? renderTermsVersion(language, terms.version) : null;
      return renderContentPage(language, name, getLocalContent(content, language).pages[name], note);
    });
    addPublicPageRoutes(app, frame, { route, getPage });
  }
  addPublicPageRoutes(app, frame, {
    route: buildTermsPath(':version'),
    getPage: createTermsVersionPages(services, frame),
  });
}

/** Kept only for versions that existed, so that a visitor cannot fill the memory with others. */
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
  if (version === terms.version)
    return renderContentPage(language, 'terms', content.pages.terms, renderTermsVersion(language, version));
  const kept = await findPreviousTerms(services, version);
  if (!kept) throw new ServiceError('not_found');
  const page = readContentPage(kept.text, version, ENGLISH.tag);
  return renderContentPage(language, 'terms', page, renderPreviousTermsNote(language, version));
}

/** The address says which text a case agreed to, for as long as the service exists. */
function renderTermsVersion(language: Language, version: string): Html {
  const sentence = renderSentence(language, 'content.terms.version', {
    version,
    link: (text) => html`<a class="code" href="${buildTermsPath(version)}">${text}</a>`,
  });
  return html`<p class="small">${sentence}</p>`;
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
  note: Html | null = null,
): HtmlPage & MarkdownSource {
  const { title, description, lang, markdown } = page;
  const { say, tag, direction } = language;
  const isForeign = lang !== tag;
  const hint = isForeign ? html`<p class="small">${say('content.english')}</p>\n` : null;
  // Whatever the operator's file says, no reader must take the sample for a real case.
  const mark = name === 'sample' ? html`<p><b>${say('content.sample.mark')}</b></p>\n` : null;
  const notes = html`${hint}${note}${mark}`;
  const own = isForeign ? html`<div lang="${tag}" dir="${direction}">${notes}</div>` : notes;
  return {
    // A word alone says too little in the title of the window.
    title: `${title}: ${say(`content.${name}`)}`,
    description,
    language,
    source: { notes, markdown },
    main: html`<div class="wrap text" lang="${isForeign ? lang : null}" dir="${isForeign ? 'ltr' : null}">
<h1>${title}</h1>
${own}${renderContentBody(name, page)}
</div>`,
  };
}

function renderContentBody(name: ContentPageName, { nodes, lang }: ContentPage): Html {
  if (name === 'sample') return html`<div class="paper">${renderMarkdownPage(nodes)}</div>`;
  // The names of countries and of those who answer a helpline are in English.
  if (name === 'safety' && lang !== ENGLISH.tag) return renderMarkdownPageWithNames(nodes, ENGLISH.tag);
  return renderMarkdownPage(nodes);
}
