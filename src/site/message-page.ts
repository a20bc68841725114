/** Pages with a short message and the next step, such as an error: what happened, what to do, and the id to quote. */
import type { Language } from '#language/language.ts';
import type { ServiceError } from '#platform/errors.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderSentence } from '#view/sentence.ts';

interface MessagePageInput {
  readonly language: Language;
  readonly title: string;
  readonly paragraphs: readonly (Html | string)[];
  readonly status?: number;
  readonly next?: Html | { readonly href: string; readonly text: string };
}

/** Confidential, because most of these pages appear on the way to or from a case. */
export function renderMessagePage(input: MessagePageInput): HtmlPage {
  const { language, title, paragraphs, status = 200, next } = input;
  const end =
    next && 'href' in next
      ? html`<div class="acts"><a class="button" href="${next.href}">${next.text}</a></div>`
      : next;
  return {
    title,
    status,
    language,
    confidential: true,
    main: html`<div class="wrap text">
<h1>${title}</h1>
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}${end}
</div>`,
  };
}

interface ErrorText {
  readonly title: string;
  readonly sentence: string;
}

/** People read our own sentence for the code; the problem's text is for programs. */
export function toErrorText({ code, status }: ServiceError, { find, say }: Language): ErrorText {
  const title = find(`problem.${code}.title`);
  const general = findGeneralKey(status);
  return title === undefined
    ? { title: say(`${general}.title`), sentence: say(general) }
    : { title, sentence: find(`problem.${code}`) ?? say(general) };
}

/** Only the sentence, for a page that also shows something else. */
export function toErrorSentence({ code, status }: ServiceError, { find, say }: Language): string {
  return find(`problem.${code}`) ?? say(findGeneralKey(status));
}

function findGeneralKey(status: number): 'problem.client' | 'problem.server' {
  return status < 500 ? 'problem.client' : 'problem.server';
}

export function renderErrorPage(error: ServiceError, requestId: string, language: Language): HtmlPage {
  const { title, sentence } = toErrorText(error, language);
  const quoted = renderSentence(language, 'problem.quote', {
    id: requestId,
    code: (id) => html`<span class="code">${id}</span>`,
  });
  return renderMessagePage({
    language,
    status: error.status,
    title,
    paragraphs: [sentence, quoted],
    next: { href: '/', text: language.say('frame.home') },
  });
}
