/** The operator's own pages: terms, refunds, who we are, questions, what you get, and a sample finding. */
import type { ContentPage } from '#content/content-page.ts';
import { CONTENT_PAGES, type ContentPageName } from '#content/site-content.ts';
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { createStaticPage, sendStaticPage } from '#view/document.ts';
import { type Html, html } from '#view/html.ts';
import { renderMarkdownPage } from '#view/markdown.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame } from '#view/page.ts';

/** Whatever the operator's file says, nobody takes the sample for a real case. */
const SAMPLE_MARK = 'This is an example. The question, the people and the addresses in it are made up.';

export function addContentRoutes(app: App, { content }: Pick<Services, 'content'>, frame: PageFrame): void {
  for (const name of CONTENT_PAGES) {
    const getPage = createStaticPage(frame, () => renderContentPage(name, content.pages[name]));
    app.get(`/${name}`, { config: { access: 'public', produces: HTML_MEDIA_TYPE } }, async (request, reply) =>
      sendStaticPage(request, reply, await getPage(request)),
    );
  }
}

function renderContentPage(name: ContentPageName, page: ContentPage): HtmlPage {
  const { title, description } = page;
  return {
    title: `${title}: ${pageSubjects[name]}`,
    description,
    main: html`<div class="wrap text">
<h1>${title}</h1>
${name === 'sample' ? renderSample(page) : renderMarkdownPage(page.nodes)}
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
