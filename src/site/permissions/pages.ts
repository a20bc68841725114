/** The pages where people see and end the permissions of programs that act for them. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import type { Say } from '#language/catalogue.ts';
import type { Language } from '#language/language.ts';
import { formatLongDay } from '#language/timed-text.ts';
import { MAX_LISTED_PERMISSIONS, type Permission } from '#oauth/permissions.ts';
import {
  listScopeSentences,
  renderCodeForm,
  renderSignInForms,
  renderTargetForm,
  type SignInMistake,
} from '#oauth/sign-in/pages.ts';
import { DAY_SECONDS } from '#platform/durations.ts';
import { formatErrorTitle, renderProblemList } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { renderSentence, renderStrong } from '#view/sentence.ts';

/** Hidden fields: the visit that requested a code; who has signed in; which permission to end. */
export const VISIT_FIELD = 'visit';
export const PASS_FIELD = 'pass';
export const PERMISSION_FIELD = 'permission';
/** How long it is known who has signed in. */
export const PASS_MINUTES = 10;
/** Instead of the id of one permission. */
export const ALL_PERMISSIONS = 'all';

export function renderVisitorPage(language: Language, mistake?: SignInMistake): HtmlPage {
  const { say } = language;
  const targets = { address: toTarget('address'), words: toTarget('words') };
  const hints = { address: say('permissions.address.hint'), words: say('permissions.words.hint') };
  return renderPermissionsPage(language, {
    title: say('permissions.title'),
    script: 'sign-in',
    mistake,
    main: html`<p>${say('permissions.lead')}</p>
<p>${say('permissions.sign_in')}</p>
${renderSignInForms(language, targets, hints, mistake)}`,
  });
}

export function renderVisitorCodePage(language: Language, visit: string, error?: string): HtmlPage {
  const { say } = language;
  return renderPermissionsPage(language, {
    title: say('sign_in.code.title'),
    mistake: error === undefined ? undefined : { field: 'code', message: error },
    main: html`${renderCodeForm(language, toTarget('code', { [VISIT_FIELD]: visit }), error)}
<p><a href="/permissions">${say('sign_in.code.again')}</a></p>`,
  });
}

interface PermissionList {
  readonly permissions: readonly Permission[];
  readonly pass: string;
  /** The result of the last action. */
  readonly notice?: string | undefined;
}

export function renderPermissionListPage(
  language: Language,
  { permissions, pass, notice }: PermissionList,
): HtmlPage {
  const { say } = language;
  const { refreshToken, grant } = oauthLifetimes;
  const lifetimes = { unused: refreshToken / DAY_SECONDS, days: grant / DAY_SECONDS };
  const listed = permissions.slice(0, MAX_LISTED_PERMISSIONS);
  const more = renderSentence(language, 'permissions.more', {
    link: (text) => html`<a href="/permissions">${text}</a>`,
  });
  return renderPermissionsPage(language, {
    title: say('permissions.title'),
    notice,
    main: html`${
      listed.length === 0
        ? html`<p>${say('permissions.none')}</p>`
        : html`<p>${say('permissions.ends', lifetimes)}</p>
${listed.map((permission) => renderPermission(language, permission, pass))}
${listed.length > 1 ? renderEndAll(say, pass, permissions.length > listed.length) : null}
<p class="small">${say('permissions.minutes', { minutes: PASS_MINUTES })}</p>`
    }
<p class="small">${more}</p>`,
  });
}

function renderEndAll(say: Say, pass: string, more: boolean): Html {
  return html`<section class="case-part"><h2>${say('permissions.all')}</h2>
<p>${say(more ? 'permissions.all.older' : 'permissions.all.text')}</p>
${renderAct('confirm', say('permissions.all.end'), { pass, permission: ALL_PERMISSIONS })}
</section>`;
}

function renderPermission(language: Language, permission: Permission, pass: string): Html {
  const { id, clientName: client, sharesEmail, since } = permission;
  const { say } = language;
  const day = formatGivenDay(say, since);
  const end = renderSentence(language, 'permissions.end', {
    client,
    day,
    unseen: (text) => html`<span class="unseen">${text}</span>`,
  });
  return html`<section class="case-part"><h2>${client}</h2>
<p>${say('permissions.given', { day })}</p>
${renderSentences(say, permission)}
<p>${say(sharesEmail ? 'permissions.email.known' : 'permissions.email.unknown')}</p>
${renderAct('confirm', end, { pass, permission: id })}
</section>`;
}

/** Asks before one of the permissions is ended. */
export function renderConfirmationPage(
  language: Language,
  permission: Permission,
  { permissions, pass }: PermissionList,
): HtmlPage {
  const { id, clientName: client, since } = permission;
  const { say } = language;
  const keeps = hasOtherPermission(permissions, permission);
  const given = renderSentence(language, 'permissions.given.client', {
    client,
    day: formatGivenDay(say, since),
    strong: renderStrong,
  });
  const acts = { end: say('permissions.end.act'), keep: say('permissions.end.keep') };
  return renderPermissionsPage(language, {
    title: say('permissions.end.title', { client }),
    main: html`<p>${given}</p>
${renderSentences(say, permission)}
${keeps ? html`<p>${say('permissions.end.other')}</p>` : null}
${renderConfirmationForms(say, { pass, permission: id }, acts)}`,
  });
}

export function renderEndAllPage(language: Language, pass: string): HtmlPage {
  const { say } = language;
  const acts = { end: say('permissions.all.end'), keep: say('permissions.all.keep') };
  return renderPermissionsPage(language, {
    title: say('permissions.all.title'),
    main: html`<p>${say('permissions.all.confirm')}</p>
${renderConfirmationForms(say, { pass, permission: ALL_PERMISSIONS }, acts)}`,
  });
}

function renderConfirmationForms(
  say: Say,
  fields: ActFields,
  { end, keep }: { end: string; keep: string },
): Html {
  return html`<p>${say('permissions.end.confirm')}</p>
${renderAct('end', end, fields, 'button')}
${renderTargetForm(toTarget('list', { [PASS_FIELD]: fields.pass }), renderButton(keep))}`;
}

export function formatEndedNotice(say: Say, ended: Permission, left: readonly Permission[]): string {
  const { clientName: client, since } = ended;
  return hasOtherPermission(left, ended)
    ? say('permissions.ended.other', { client, day: formatGivenDay(say, since) })
    : say('permissions.ended', { client });
}

function formatGivenDay(say: Say, time: number): string {
  return formatLongDay(time, say('time.locale'));
}

function hasOtherPermission(permissions: readonly Permission[], { id, clientId }: Permission): boolean {
  return permissions.some((other) => other.clientId === clientId && other.id !== id);
}

function renderSentences(say: Say, { scopes }: Pick<Permission, 'scopes'>): Html {
  return html`<ul class="list">${listScopeSentences(scopes, say).map((sentence) => html`<li>${sentence}</li>`)}</ul>`;
}

interface ActFields {
  readonly pass: string;
  readonly permission: string;
}

function renderAct(
  action: string,
  text: Html | string,
  { pass, permission }: ActFields,
  look?: string,
): Html {
  const target = toTarget(action, { [PASS_FIELD]: pass, [PERMISSION_FIELD]: permission });
  return renderTargetForm(target, renderButton(text, look));
}

function renderButton(text: Html | string, look = 'button quiet'): Html {
  return html`<div class="acts"><button class="${look}" type="submit">${text}</button></div>`;
}

function toTarget(action: string, hidden: Readonly<Record<string, string>> = {}) {
  return { action: `/permissions/${action}`, hidden };
}

interface PermissionsPage {
  readonly title: string;
  readonly main: Html;
  readonly notice?: string | undefined;
  readonly mistake?: { readonly field: string; readonly message: string } | undefined;
  readonly script?: 'sign-in';
}

function renderPermissionsPage(
  language: Language,
  { title, main, notice, mistake, script }: PermissionsPage,
): HtmlPage {
  const { say } = language;
  return {
    ...(script && { script }),
    status: mistake ? 422 : 200,
    title: mistake ? formatErrorTitle(say, title) : title,
    language,
    confidential: true,
    main: html`<div class="wrap text">
${renderProblemList(say, mistake ? [mistake] : [])}${notice ? html`<p class="note" role="status">${notice}</p>` : null}
<h1>${title}</h1>
${main}
</div>`,
  };
}
