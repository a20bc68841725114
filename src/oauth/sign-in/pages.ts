/** The pages of a sign-in: address or words, code, consent. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { isNativeRedirectUri, toRedirectOrigin } from '#clients/redirect-uris.ts';
import type { Say } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import { listScopeSentences } from '#oauth/scope-sentences.ts';
import { DAY_SECONDS } from '#platform/durations.ts';
import { formatErrorTitle, renderCheckbox, renderProblemList } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';
import { FORM_TOKEN_FIELD } from '#wire/sign-in-page.ts';
import {
  type FormTarget,
  renderCodeForm,
  renderSignInForms,
  renderTargetForm,
  type SignInMistake,
} from './forms.ts';

export const SHARE_EMAIL_FIELD = 'share_email';

/** A sign-in in progress. */
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
  const { clientName, ownName, language } = step;
  const { say } = language;
  const client = { client: clientName };
  const tick = signedInWith === 'address' ? renderEmailTick(clientName, say) : null;
  return renderStepPage(step, {
    title: say('consent.title', client),
    main: html`<p>${renderSentence(language, 'consent.lead', { ...client, strong: renderStrong })}</p>
${ownName === null ? null : html`<p>${say('consent.unregistered', { ...client, name: ownName })}</p>`}
<ul class="list">${listScopeSentences(scopes, say).map((sentence) => html`<li>${sentence}</li>`)}</ul>
${hasCaseScope(scopes) ? html`<p>${say(signedInWith === 'words' ? 'consent.cases.words' : 'consent.cases')}</p>` : null}
<p>${renderEndSentence(language, signedInWith)}</p>
<p>${renderBackSentence(step)}</p>
${renderTargetForm(
  toStepTarget(step, 'consent'),
  html`${tick}<div class="acts"><button class="button" type="submit">${say('consent.allow')}</button></div>`,
)}
${renderCancelForm(step, say('consent.refuse'))}`,
  });
}

function renderEndSentence(language: Language, signedInWith: ConsentRequest['signedInWith']): Html {
  return renderSentence(language, signedInWith === 'words' ? 'consent.end.words' : 'consent.end', {
    unused: oauthLifetimes.refreshToken / DAY_SECONDS,
    days: oauthLifetimes.grant / DAY_SECONDS,
    link: (text) => html`<a href="/permissions">${text}</a>`,
  });
}

function renderBackSentence({ language, redirectUri }: SignInStep): Html {
  return renderSentence(language, 'consent.back', {
    place: isNativeRedirectUri(redirectUri) ? language.say('consent.back.app') : new URL(redirectUri).host,
    code: (place) => html`<span class="code">${place}</span>`,
  });
}

function hasCaseScope(scopes: readonly string[]): boolean {
  return scopes.some((scope) => scope === 'case:read' || scope === 'case:write');
}

function renderEmailTick(clientName: string, say: Say): Html {
  return renderCheckbox(say, {
    name: SHARE_EMAIL_FIELD,
    label: say('consent.email', { client: clientName }),
    hint: say('consent.email.hint'),
    optional: true,
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
