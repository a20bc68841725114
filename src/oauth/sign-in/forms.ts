/** The sign-in forms: e-mail address, the code sent there, the words of a case. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import type { Language } from '#language/language.ts';
import { MINUTE_SECONDS } from '#platform/durations.ts';
import { renderSealingNote, renderTextArea, renderTextField } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { WORDS_FORM_ID } from '#wire/sign-in-page.ts';

/** What a form contains besides the field: its address and hidden values. */
export interface FormTarget {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
}

export interface SignInMistake {
  readonly field: 'address' | typeof WORDS_FIELD;
  /** What the user typed; left out if it is secret. */
  readonly value?: string;
  readonly message: string;
}

/** Both ways to sign in, each with its heading. */
export function renderSignInForms(
  language: Language,
  targets: { readonly address: FormTarget; readonly words: FormTarget },
  hints: { readonly address: string; readonly words: string },
  mistake?: SignInMistake,
): Html {
  const { say } = language;
  const findFieldError = (field: SignInMistake['field']) =>
    mistake?.field === field ? mistake.message : undefined;
  return html`<h2>${say('sign_in.address.title')}</h2>
${renderTargetForm(
  targets.address,
  html`${renderTextField(say, {
    name: 'address',
    label: say('sign_in.address'),
    hint: say('sign_in.address.hint', { more: hints.address }),
    type: 'email',
    autocomplete: 'email',
    maxLength: 254,
    value: mistake?.value,
    error: findFieldError('address'),
  })}<div class="acts"><button class="button" type="submit">${say('sign_in.address.send')}</button></div>`,
)}
<h2>${say('sign_in.words.title')}</h2>
${renderTargetForm(
  targets.words,
  html`${renderTextArea(say, {
    name: WORDS_FIELD,
    lang: 'en',
    label: say('find.words'),
    hint: hints.words,
    rows: 3,
    error: findFieldError(WORDS_FIELD),
  })}${renderSealingNote({
    server: renderSentence(language, 'sign_in.words.note.server', { strong: renderStrong }),
    browser: renderSentence(language, 'sign_in.words.note.browser', { strong: renderStrong }),
  })}<div class="acts"><button class="button" type="submit" id="send">${say('sign_in.words.send')}</button></div>`,
  WORDS_FORM_ID,
)}`;
}

export function renderCodeForm({ say }: Language, target: FormTarget, error?: string): Html {
  const minutes = oauthLifetimes.emailCode / MINUTE_SECONDS;
  const subject = say('email.subject');
  return html`<p>${say('sign_in.code.lead', { subject, minutes })}</p>
${renderTargetForm(
  target,
  html`${renderTextField(say, {
    name: 'code',
    label: say('sign_in.code'),
    hint: say('sign_in.code.hint'),
    autocomplete: 'one-time-code',
    inputMode: 'numeric',
    maxLength: 30,
    error,
  })}<div class="acts"><button class="button" type="submit">${say('sign_in.code.send')}</button></div>`,
)}`;
}

export function renderTargetForm({ action, hidden }: FormTarget, fields: Html, id?: string): Html {
  const inputs = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form id="${id}" method="post" action="${action}">${inputs}${fields}</form>`;
}
