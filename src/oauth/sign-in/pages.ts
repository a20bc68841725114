/** The pages of a sign-in: address or words, code, consent. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { isNativeRedirectUri, toRedirectOrigin } from '#clients/redirect-uris.ts';
import { listScopeSentences } from '#oauth/scope-sentences.ts';
import { DAY_SECONDS } from '#platform/durations.ts';
import { renderCheckbox, renderProblemList } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { ERROR_MARK } from '#wire/page-parts.ts';
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
  readonly clientName: string;
  readonly redirectUri: string;
  readonly siteName: string;
}

export function renderSignInPage(step: SignInStep, mistake?: SignInMistake): HtmlPage {
  const { clientName } = step;
  const targets = { address: toStepTarget(step, 'address'), words: toStepTarget(step, 'words') };
  const hints = {
    address: `We keep the address encrypted, and tell ${clientName} only if you tick that later.`,
    words: 'The program may then see how that case stands. It does not get the words.',
  };
  return renderStepPage(step, {
    title: 'Sign in',
    script: 'sign-in',
    field: mistake?.field,
    error: mistake?.message,
    main: html`<p><b>${clientName}</b> asks to act for you at ${step.siteName}. First tell us who you are, in one of two ways; then you decide.</p>
${renderSignInForms(targets, hints, mistake)}
${renderCancelForm(step, 'Cancel and go back')}`,
  });
}

export function renderSignInCodePage(step: SignInStep, error?: string): HtmlPage {
  return renderStepPage(step, {
    title: 'Enter the code',
    field: 'code',
    error,
    main: html`${renderCodeForm(toStepTarget(step, 'code'), error)}
<p><a href="/sign-in/${step.uid}">Use another address, or ask for a new code</a></p>`,
  });
}

/** What the person is asked to allow. */
interface ConsentRequest {
  readonly scopes: readonly string[];
  readonly signedInWith: 'address' | 'words';
}

export function renderConsentPage(step: SignInStep, { scopes, signedInWith }: ConsentRequest): HtmlPage {
  const { clientName, redirectUri } = step;
  return renderStepPage(step, {
    title: `Let ${clientName} act for you?`,
    main: html`<p>If you allow it, <b>${clientName}</b> may:</p>
<ul class="list">${listScopeSentences(scopes).map((sentence) => html`<li>${sentence}</li>`)}</ul>
${hasCaseScope(scopes) ? renderCaseNote(signedInWith) : null}
<p>You can end this at any time on the page <a href="/permissions">Programs that act for you</a>. It ends by itself when the program gives it up or has not used it for ${oauthLifetimes.refreshToken / DAY_SECONDS} days, ${signedInWith === 'words' ? 'when the case is erased, ' : null}and after ${oauthLifetimes.grant / DAY_SECONDS} days at the latest.</p>
<p>You go back to <span class="code">${isNativeRedirectUri(redirectUri) ? 'an app on this device' : new URL(redirectUri).host}</span>. Allow this only if you began there.</p>
${renderTargetForm(
  toStepTarget(step, 'consent'),
  html`${signedInWith === 'address' ? renderEmailTick(clientName) : null}<div class="acts"><button class="button" type="submit">Allow</button></div>`,
)}
${renderCancelForm(step, 'Do not allow')}`,
  });
}

function hasCaseScope(scopes: readonly string[]): boolean {
  return scopes.some((scope) => scope === 'case:read' || scope === 'case:write');
}

function renderCaseNote(signedInWith: ConsentRequest['signedInWith']): Html {
  return html`<p>Your cases are those that it sends for you${signedInWith === 'words' ? ', and the case whose words you have just used' : null}. It does not get the words of a case that you sent yourself.</p>`;
}

function renderEmailTick(clientName: string): Html {
  return renderCheckbox({
    name: SHARE_EMAIL_FIELD,
    label: `Tell ${clientName} my e-mail address`,
    hint: 'Without the tick it knows you by a random number only.',
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
  { redirectUri }: SignInStep,
  { title, main, field = '', error, script }: StepPageContent,
): HtmlPage {
  return {
    ...(script && { script }),
    status: error ? 422 : 200,
    title: error ? ERROR_MARK + title : title,
    confidential: true,
    formOrigin: toRedirectOrigin(redirectUri),
    main: html`<div class="wrap text">
${renderProblemList(error ? [{ field, message: error }] : [])}
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
