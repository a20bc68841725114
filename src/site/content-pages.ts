/** The operator's own pages: terms, refunds, who we are, questions, what you get, and a sample finding. */
import { Type } from 'typebox';
import { findFormerTerms } from '#cases/terms.ts';
import { type ContentPage, readContentPage } from '#content/content-page.ts';
import { CONTENT_PAGES, type ContentPageName } from '#content/site-content.ts';
import { buildTermsPath } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { createStaticPage, sendStaticPage } from '#view/document.ts';
import { type Html, html } from '#view/html.ts';
import { renderMarkdownPage } from '#view/markdown.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';

/** Whatever the operator's file says, nobody takes the sample for a real case. */
const SAMPLE_MARK = 'This is an example. The question, the people and the addresses in it are made up.';

export function addContentRoutes(
  app: App,
  services: Pick<Services, 'content' | 'store' | 'terms'>,
  frame: PageFrame,
): void {
  const { content, terms } = services;
  for (const name of CONTENT_PAGES) {
    const note = name === 'terms' ? renderTermsVersion(terms.version) : null;
    const getPage = createStaticPage(frame, () => renderContentPage(name, content.pages[name], note));
    app.get(`/${name}`, { config: { access: 'public', produces: HTML_MEDIA_TYPE } }, async (request, reply) =>
      sendStaticPage(request, reply, await getPage(request)),
    );
  }
  app.get(
    buildTermsPath(':version'),
    {
      config: { access: 'public', produces: HTML_MEDIA_TYPE },
      schema: { params: Type.Object({ version: Type.String() }) },
    },
    async (request, reply) => {
      const { version } = request.params;
      const { description: _listed, ...page } = await renderKeptTerms(services, version);
      return sendPage(reply, frame, page);
    },
  );
}

async function renderKeptTerms(
  services: Pick<Services, 'content' | 'store' | 'terms'>,
  version: string,
): Promise<HtmlPage> {
  const { terms, content } = services;
  if (version === terms.version)
    return renderContentPage('terms', content.pages.terms, renderTermsVersion(version));
  const kept = await findFormerTerms(services, version);
  if (!kept) throw new ServiceError('not_found');
  const page = readContentPage(kept.text, version);
  return renderContentPage('terms', page, renderFormerTermsNote(version));
}

/** The address says which text a case agreed to, for as long as the service exists. */
function renderTermsVersion(version: string): Html {
  return html`<p class="small">Version <a class="code" href="${buildTermsPath(version)}">${version}</a>, in force now.</p>`;
}

function renderFormerTermsNote(version: string): Html {
  return html`<p class="note">This is an earlier version, <span class="code">${version}</span>. <a href="/terms">The terms in force now</a></p>`;
}

function renderContentPage(name: ContentPageName, page: ContentPage, note: Html | null): HtmlPage {
  const { title, description } = page;
  return {
    title: `${title}: ${pageSubjects[name]}`,
    description,
    main: html`<div class="wrap text">
<h1>${title}</h1>
${note}${name === 'sample' ? renderSample(page) : renderMarkdownPage(page.nodes)}
</div>`,
  };
}

/** In the title of the window, where a word alone says too little. */
const pageSubjects: Readonly<Record<ContentPageName, string>> = {
  terms: 'what we agree on',
  refunds: 'when you get your money back',
  about: 'who answers your question',
  questions: 'what people ask before they buy',
  'what-you-get': 'the three services',
  sample: 'an example, made up',
};

function renderSample({ nodes }: ContentPage): Html {
  return html`<p><b>${SAMPLE_MARK}</b></p>
<div class="paper">${renderMarkdownPage(nodes)}</div>`;
}
