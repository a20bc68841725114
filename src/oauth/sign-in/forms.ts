/** The forms with which a person says who they are: e-mail address, the code sent there, the words of a case. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { MINUTE_SECONDS } from '#platform/durations.ts';
import { renderTextArea, renderTextField } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import { renderSealingNote } from '#view/sealing-note.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { WORDS_FORM_ID } from '#wire/sign-in-page.ts';

/** What stands in the form besides the field: where it goes, and hidden values. */
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

export const NO_ADDRESS = 'Enter an e-mail address, like name@example.com';
export const CODE_SPENT = 'That code is no longer good. Ask for a new one';

export function formatWrongCode(guessesLeft: number): string {
  return `That is not the code. You can try ${guessesLeft} more ${guessesLeft === 1 ? 'time' : 'times'}`;
}

/** Both ways to sign in, each with its heading. */
export function renderSignInForms(
  targets: { readonly address: FormTarget; readonly words: FormTarget },
  hints: { readonly address: string; readonly words: string },
  mistake?: SignInMistake,
): Html {
  const findFieldError = (field: SignInMistake['field']) =>
    mistake?.field === field ? mistake.message : undefined;
  return html`<h2>With your e-mail address</h2>
${renderTargetForm(
  targets.address,
  html`${renderTextField({
    name: 'address',
    label: 'Your e-mail address',
    hint: `We send a code there. ${hints.address}`,
    type: 'email',
    autocomplete: 'email',
    maxLength: 254,
    value: mistake?.value,
    error: findFieldError('address'),
  })}<div class="acts"><button class="button" type="submit">Send me a code</button></div>`,
)}
<h2>With the words of a case</h2>
${renderTargetForm(
  targets.words,
  html`${renderTextArea({
    name: WORDS_FIELD,
    lang: 'en',
    label: 'Your twelve words',
    hint: hints.words,
    rows: 3,
    error: findFieldError(WORDS_FIELD),
  })}${renderSealingNote({
    server: html`<b>Your browser runs no script for this page.</b> Your words go to our server, which finds your case with them and forgets them again.`,
    browser: html`<b>Your words stay in your browser.</b> It sends only what finds your case.`,
  })}<div class="acts"><button class="button" type="submit" id="send">Sign in with the words</button></div>`,
  WORDS_FORM_ID,
)}`;
}

export function renderCodeForm(target: FormTarget, error?: string): Html {
  return html`<p>Look for our e-mail at the address that you gave. A code of six digits is good for ${oauthLifetimes.emailCode / MINUTE_SECONDS} minutes, in this browser only; a longer one is good all day.</p>
${renderTargetForm(
  target,
  html`${renderTextField({
    name: 'code',
    label: 'Code',
    hint: 'Nothing there? Look in the spam folder, and for an earlier e-mail of today with a longer code.',
    autocomplete: 'one-time-code',
    inputMode: 'numeric',
    maxLength: 30,
    error,
  })}<div class="acts"><button class="button" type="submit">Go on</button></div>`,
)}`;
}

export function renderTargetForm({ action, hidden }: FormTarget, fields: Html, id?: string): Html {
  const inputs = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form id="${id}" method="post" action="${action}">${inputs}${fields}</form>`;
}
