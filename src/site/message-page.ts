/** Pages with a short message and the next step, such as an error: what happened, what to do, and the id to quote. */
import type { TextKey } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import { english } from '#language/languages.ts';
import type { ServiceError } from '#platform/errors.ts';
import type { ProblemCode } from '#platform/problems.ts';
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

type ProblemKey = Extract<TextKey, `problem.${ProblemCode}`>;

type TitledKey = {
  [Key in ProblemKey]: `${Key}.title` extends TextKey ? Key : never;
}[ProblemKey];

interface ErrorText {
  readonly title: string;
  readonly sentence: string;
}

/** People read our own sentence for the code; the problem's text is for programs. */
export function toErrorText({ code, status }: ServiceError, { say }: Pick<Language, 'say'>): ErrorText {
  const key = `problem.${code}`;
  const known = hasTitle(key) ? key : findGeneralKey(status);
  return { title: say(`${known}.title`), sentence: say(known) };
}

/** Only the sentence, for a page that also shows something else. */
export function toErrorSentence({ code, status }: ServiceError, { say }: Pick<Language, 'say'>): string {
  const key = `problem.${code}`;
  return say(hasSentence(key) ? key : findGeneralKey(status));
}

function findGeneralKey(status: number): 'problem.client' | 'problem.server' {
  return status < 500 ? 'problem.client' : 'problem.server';
}

function hasSentence(key: string): key is ProblemKey {
  return Object.hasOwn(english, key);
}

function hasTitle(key: string): key is TitledKey {
  return Object.hasOwn(english, `${key}.title`);
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
