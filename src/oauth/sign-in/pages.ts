/** The pages of a sign-in: address or words, code, consent. */
import { WITHDRAWN_HOURS } from '#cases/ending/retention.ts';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { isNativeRedirectUri, toRedirectOrigin } from '#clients/redirect-uris.ts';
import type { Say } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import { DAY_SECONDS, MINUTE_SECONDS } from '#platform/durations.ts';
import { SCOPES, type Scope } from '#platform/scopes.ts';
import {
  formatErrorTitle,
  renderCheckbox,
  renderProblemList,
  renderSealingNote,
  renderTextArea,
  renderTextField,
} from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { FORM_TOKEN_FIELD, WORDS_FORM_ID } from '#wire/sign-in-page.ts';

/** What a form contains besides the field: its address and hidden values. */
interface FormTarget {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
}

export interface SignInMistake {
  readonly field: 'address' | typeof WORDS_FIELD;
  /** What the user typed; left out if it is secret. */
  readonly value?: string;
  readonly message: string;
}

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

export const SHARE_EMAIL_FIELD = 'share_email';

export interface SignInStep {
  readonly uid: string;
  /** CSRF token: proves that the form came from our page in this browser. */
  readonly formToken: string;
  /** The host of its document, if the client did not register. */
  readonly clientName: string;
  /** What such a client calls itself; null for one that registered. */
  readonly ownName: string | null;
  readonly redirectUri: string;
  readonly siteName: string;
  readonly language: Language;
}

export function renderSignInPage(step: SignInStep, mistake?: SignInMistake): HtmlPage {
  const { clientName, language } = step;
  const { say } = language;
  const targets = { address: toStepTarget(step, 'address'), words: toStepTarget(step, 'words') };
  const hints = {
    address: say('sign_in.address.hint.client', { client: clientName }),
    words: say('sign_in.words.hint.client'),
  };
  const lead = renderSentence(language, 'sign_in.lead', {
    client: clientName,
    site: step.siteName,
    strong: renderStrong,
  });
  return renderStepPage(step, {
    title: say('sign_in.title'),
    script: 'sign-in',
    field: mistake?.field,
    error: mistake?.message,
    main: html`<p>${lead}</p>
${renderSignInForms(language, targets, hints, mistake)}
${renderCancelForm(step, say('sign_in.cancel'))}`,
  });
}

export function renderSignInCodePage(step: SignInStep, error?: string): HtmlPage {
  const { language } = step;
  return renderStepPage(step, {
    title: language.say('sign_in.code.title'),
    field: 'code',
    error,
    main: html`${renderCodeForm(language, toStepTarget(step, 'code'), error)}
<p><a href="/sign-in/${step.uid}">${language.say('sign_in.code.again')}</a></p>`,
  });
}

interface ConsentRequest {
  readonly scopes: readonly string[];
  readonly signedInWith: 'address' | 'words';
}

export function renderConsentPage(step: SignInStep, { scopes, signedInWith }: ConsentRequest): HtmlPage {
  const { clientName, ownName, redirectUri, language } = step;
  const { say } = language;
  const client = { client: clientName };
  const seesCases = scopes.includes('case:read') || scopes.includes('case:write');
  const end = renderSentence(language, signedInWith === 'words' ? 'consent.end.words' : 'consent.end', {
    unused: oauthLifetimes.refreshToken / DAY_SECONDS,
    days: oauthLifetimes.grant / DAY_SECONDS,
    link: (text) => html`<a href="/permissions">${text}</a>`,
  });
  const back = renderSentence(language, 'consent.back', {
    place: isNativeRedirectUri(redirectUri) ? say('consent.back.app') : new URL(redirectUri).host,
    code: (place) => html`<span class="code">${place}</span>`,
  });
  const tick = renderCheckbox(say, {
    name: SHARE_EMAIL_FIELD,
    label: say('consent.email', client),
    hint: say('consent.email.hint'),
    optional: true,
  });
  return renderStepPage(step, {
    title: say('consent.title', client),
    main: html`<p>${renderSentence(language, 'consent.lead', { ...client, strong: renderStrong })}</p>
${ownName === null ? null : html`<p>${say('consent.unregistered', { ...client, name: ownName })}</p>`}
<ul class="list">${listScopeSentences(scopes, say).map((sentence) => html`<li>${sentence}</li>`)}</ul>
${seesCases ? html`<p>${say(signedInWith === 'words' ? 'consent.cases.words' : 'consent.cases')}</p>` : null}
<p>${end}</p>
<p>${back}</p>
${renderTargetForm(
  toStepTarget(step, 'consent'),
  html`${signedInWith === 'address' ? tick : null}<div class="acts"><button class="button" type="submit">${say('consent.allow')}</button></div>`,
)}
${renderCancelForm(step, say('consent.refuse'))}`,
  });
}

interface StepPageContent {
  readonly title: string;
  readonly main: Html;
  readonly field?: string | undefined;
  readonly error?: string | undefined;
  readonly script?: 'sign-in';
}

function renderStepPage(
  { redirectUri, language }: SignInStep,
  { title, main, field = '', error, script }: StepPageContent,
): HtmlPage {
  const { say } = language;
  return {
    ...(script && { script }),
    status: error ? 422 : 200,
    title: error ? formatErrorTitle(say, title) : title,
    language,
    confidential: true,
    formOrigin: toRedirectOrigin(redirectUri),
    main: html`<div class="wrap text">
${renderProblemList(say, error ? [{ field, message: error }] : [])}
<h1>${title}</h1>
${main}
</div>`,
  };
}

function toStepTarget({ uid, formToken }: SignInStep, action: string): FormTarget {
  return { action: `/sign-in/${uid}/${action}`, hidden: { [FORM_TOKEN_FIELD]: formToken } };
}

function renderCancelForm(step: SignInStep, text: string): Html {
  return renderTargetForm(
    toStepTarget(step, 'cancel'),
    html`<div class="acts"><button class="button quiet" type="submit">${text}</button></div>`,
  );
}

const sentences: Readonly<Record<Scope, (say: Say) => readonly string[]>> = {
  'case:read': (say) => [say('scope.case_read')],
  'case:write': (say) => [
    say('scope.case_write.buy'),
    say('scope.case_write.send'),
    say('scope.case_write.end', { hours: WITHDRAWN_HOURS }),
  ],
  'contact:write': (say) => [say('scope.contact_write')],
  'pricing:read': (say) => [say('scope.pricing_read')],
};

/** In a fixed order; names that are not scopes are left out. */
export function listScopeSentences(scopes: readonly string[], say: Say): readonly string[] {
  return SCOPES.filter((scope) => scopes.includes(scope)).flatMap((scope) => sentences[scope](say));
}
