/** The safety page: how leaving works, what stays on the device, and whom to call. */
import type { Helpline } from '#content/helplines.ts';
import type { Say } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import type { App } from '#platform/http/app.ts';
import type { Services } from '#services.ts';
import { createReadablePage } from '#view/document.ts';
import { type Html, html } from '#view/html.ts';
import { type HtmlPage, type PageFrame, SAFETY_PATH } from '#view/page.ts';
import { addPublicPageRoutes } from '#view/public-page.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';

export function addSafetyRoutes(app: App, { content }: Pick<Services, 'content'>, frame: PageFrame): void {
  const getPage = createReadablePage(frame, SAFETY_PATH, (language) =>
    renderSafetyPage(language, content.helplines),
  );
  addPublicPageRoutes(app, frame, { route: SAFETY_PATH, getPage });
}

const LEAVING = ['keys', 'typed', 'back', 'history', 'plain'] as const;
const TRACES = ['private', 'history', 'words', 'receipt', 'spyware'] as const;

function renderSafetyPage(language: Language, helplines: readonly Helpline[]): HtmlPage {
  const { say } = language;
  const danger = renderSentence(language, 'safety.danger', {
    link: (text) => html`<a href="#helplines">${text}</a>`,
  });
  return {
    title: say('frame.foot.safety'),
    description: say('safety.description'),
    language,
    main: html`<div class="wrap text">
<h1>${say('safety.heading')}</h1>
<p>${danger}</p>

<h2 id="leaving">${say('frame.out.how')}</h2>
<p>${renderSentence(language, 'safety.leaving', { strong: renderStrong })}</p>
<ul class="list">
${LEAVING.map((key) => html`<li>${say(`safety.leaving.${key}`)}</li>\n`)}</ul>

<h2 id="traces">${say('safety.traces')}</h2>
<p>${say('safety.traces.text')}</p>
<ul class="list">
${TRACES.map((key) => html`<li>${say(`safety.traces.${key}`)}</li>\n`)}</ul>

<h2 id="helplines">${say('safety.helplines')}</h2>
<p>${say('safety.helplines.text')}</p>
${renderHelplines(say, helplines)}
</div>`,
  };
}

/** The names of countries and of those who answer are the operator's, in English. */
function renderHelplines(say: Say, helplines: readonly Helpline[]): Html {
  const [country, who, number, source] = [
    say('safety.helplines.country'),
    say('safety.helplines.who'),
    say('safety.helplines.number'),
    say('safety.helplines.source'),
  ];
  const rows = helplines.map(
    (line) =>
      html`<tr><th scope="row" lang="en">${line.country}</th><td data-label="${who}"><span lang="en">${line.who}</span></td><td data-label="${number}"><a href="tel:${line.number.replaceAll(' ', '')}">${line.number}</a></td><td data-label="${source}"><a href="${line.source}" rel="noreferrer">${new URL(line.source).hostname}</a></td></tr>\n`,
  );
  return html`<table>
<thead><tr><th scope="col">${country}</th><th scope="col">${who}</th><th scope="col">${number}</th><th scope="col">${source}</th></tr></thead>
<tbody>${rows}</tbody>
</table>`;
}
