/** The pages where a person sees and ends what programs may do for them. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { ENGLISH } from '#language/languages.ts';
import { MAX_LISTED_PERMISSIONS, type Permission } from '#oauth/permissions.ts';
import { listScopeSentences } from '#oauth/scope-sentences.ts';
import {
  renderCodeForm,
  renderSignInForms,
  renderTargetForm,
  type SignInMistake,
} from '#oauth/sign-in/forms.ts';
import { DAY_SECONDS } from '#platform/durations.ts';
import { renderProblemList } from '#view/form.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { ERROR_MARK } from '#wire/page-parts.ts';
import { PASS_MINUTES } from './pass.ts';

/** Hidden fields: the visit that asked for a code; who has signed in; what to end. */
export const VISIT_FIELD = 'visit';
export const PASS_FIELD = 'pass';
export const PERMISSION_FIELD = 'permission';
/** Instead of the id of one permission. */
export const ALL_PERMISSIONS = 'all';

const TITLE = 'Programs that act for you';

let dateFormat: Intl.DateTimeFormat | undefined;

/** The format is made at first use: that takes as long as making the rest of a page a hundred times. */
function formatDay(time: number): string {
  dateFormat ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return dateFormat.format(time);
}

export function renderVisitorPage(mistake?: SignInMistake): HtmlPage {
  const targets = { address: toTarget('address'), words: toTarget('words') };
  const hints = {
    address: 'You then see what you allowed with that address.',
    words: 'You then see what you allowed with these words.',
  };
  return renderPermissionsPage({
    title: TITLE,
    script: 'sign-in',
    mistake: mistake && { field: mistake.field, message: mistake.message },
    main: html`<p>Here you see what you have allowed programs to do for you, and can end it.</p>
<p>Sign in the way you did when you allowed it. We ask each time, because nobody stays signed in here.</p>
${renderSignInForms(ENGLISH, targets, hints, mistake)}`,
  });
}

export function renderVisitorCodePage(visit: string, error?: string): HtmlPage {
  return renderPermissionsPage({
    title: ENGLISH.say('sign_in.code.title'),
    mistake: error === undefined ? undefined : { field: 'code', message: error },
    main: html`${renderCodeForm(ENGLISH, toTarget('code', { [VISIT_FIELD]: visit }), error)}
<p><a href="/permissions">${ENGLISH.say('sign_in.code.again')}</a></p>`,
  });
}

interface PermissionList {
  readonly permissions: readonly Permission[];
  readonly pass: string;
  /** What has just been done. */
  readonly notice?: string | undefined;
}

export function renderPermissionListPage({ permissions, pass, notice }: PermissionList): HtmlPage {
  const listed = permissions.slice(0, MAX_LISTED_PERMISSIONS);
  const more = permissions.length > listed.length;
  return renderPermissionsPage({
    title: TITLE,
    notice,
    main: html`${
      listed.length === 0
        ? html`<p>No program may act for you with this address or these words. There is nothing to end.</p>`
        : html`<p>Each permission ends when you end it here, when its program gives it up or has not used it for ${oauthLifetimes.refreshToken / DAY_SECONDS} days, and after ${oauthLifetimes.grant / DAY_SECONDS} days at the latest.</p>
${listed.map((permission) => renderPermission(permission, pass))}
${listed.length > 1 ? renderEndAll(pass, more) : null}
<p class="small">This page works for ${PASS_MINUTES} minutes. Then sign in again.</p>`
    }
<p class="small">You see what you allowed with the address or the words that you have just used. <a href="/permissions">Sign in another way</a> to see more.</p>`,
  });
}

function renderEndAll(pass: string, more: boolean): Html {
  return html`<section class="case-part"><h2>Everything at once</h2>
<p>${more ? 'There are more, older ones than are shown here. ' : null}You can end all that you allowed with this address or these words.</p>
${renderAct('confirm', 'End all of them', { pass, permission: ALL_PERMISSIONS })}
</section>`;
}

function renderPermission(permission: Permission, pass: string): Html {
  const { id, clientName, sharesEmail, since } = permission;
  const date = formatDay(since);
  return html`<section class="case-part"><h2>${clientName}</h2>
<p>You allowed it on ${date} to:</p>
${renderSentences(permission)}
<p>It ${sharesEmail ? 'knows' : 'does not know'} your e-mail address.</p>
${renderAct('confirm', html`End this<span class="unseen"> permission of ${clientName}, given on ${date}</span>`, { pass, permission: id })}
</section>`;
}

/** Asks before one of the permissions is ended. */
export function renderConfirmationPage(
  permission: Permission,
  { permissions, pass }: PermissionList,
): HtmlPage {
  const { id, clientName, since } = permission;
  const keeps = hasOtherPermission(permissions, permission);
  return renderPermissionsPage({
    title: `End what ${clientName} may do?`,
    main: html`<p>You allowed <b>${clientName}</b> on ${formatDay(since)} to:</p>
${renderSentences(permission)}
${keeps ? html`<p>It has another permission of yours, which stays unless you end that too.</p>` : null}
${renderConfirmationForms({ pass, permission: id }, { end: 'End it', keep: 'Keep it' })}`,
  });
}

export function renderEndAllPage(pass: string): HtmlPage {
  return renderPermissionsPage({
    title: 'End everything that programs may do for you?',
    main: html`<p>No program will be able to act for you with this address or these words.</p>
${renderConfirmationForms({ pass, permission: ALL_PERMISSIONS }, { end: 'End all of them', keep: 'Keep them' })}`,
  });
}

function renderConfirmationForms(fields: ActFields, { end, keep }: { end: string; keep: string }): Html {
  return html`<p>It ends at once. What was bought and sent before stays as it is, and you can allow it again from the program.</p>
${renderAct('end', end, fields, 'button')}
${renderTargetForm(toTarget('list', { [PASS_FIELD]: fields.pass }), renderButton(keep))}`;
}

export function formatEndedNotice(ended: Permission, left: readonly Permission[]): string {
  const { clientName, since } = ended;
  return hasOtherPermission(left, ended)
    ? `Ended: what you allowed ${clientName} on ${formatDay(since)}. It still has another permission of yours, below.`
    : `Ended: ${clientName} can no longer act for you.`;
}

function hasOtherPermission(permissions: readonly Permission[], { id, clientId }: Permission): boolean {
  return permissions.some((other) => other.clientId === clientId && other.id !== id);
}

export const ALL_ENDED = 'Ended: no program can act for you with this address or these words any longer.';
export const ALREADY_ENDED = 'That permission had ended already.';

function renderSentences({ scopes }: Pick<Permission, 'scopes'>): Html {
  return html`<ul class="list">${listScopeSentences(scopes, ENGLISH.say).map((sentence) => html`<li>${sentence}</li>`)}</ul>`;
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

function renderPermissionsPage({ title, main, notice, mistake, script }: PermissionsPage): HtmlPage {
  return {
    ...(script && { script }),
    status: mistake ? 422 : 200,
    title: mistake ? ERROR_MARK + title : title,
    confidential: true,
    main: html`<div class="wrap text">
${renderProblemList(mistake ? [mistake] : [])}${notice ? html`<p class="note" role="status">${notice}</p>` : null}
<h1>${title}</h1>
${main}
</div>`,
  };
}
