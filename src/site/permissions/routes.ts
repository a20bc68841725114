/** The permissions page: a person signs in again at each visit, sees what programs may do for them, and can end it. */
import type { Language } from '#language/language.ts';
import { listPermissions, type Permission } from '#oauth/permissions.ts';
import { resolveVisitorByWords } from '#oauth/sign-in/case-words.ts';
import { requestSignInCode, verifyVisitorCode } from '#oauth/sign-in/email-code.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import type { App } from '#platform/http/app-type.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import type { BudgetName } from '#platform/http/limits/limits.ts';
import { normalizeEmailAddress } from '#platform/mail/email-address.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import { revokeAllUserGrants, revokeUserGrant } from '#store/clients/tokens.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { sayText } from '#wire/said-text.ts';
import { LOOKUP_TOKEN_FIELD } from '#wire/sign-in-page.ts';
import {
  ALL_PERMISSIONS,
  formatEndedNotice,
  PASS_FIELD,
  PASS_MINUTES,
  PERMISSION_FIELD,
  renderConfirmationPage,
  renderEndAllPage,
  renderPermissionListPage,
  renderVisitorCodePage,
  renderVisitorPage,
  VISIT_FIELD,
} from './pages.ts';

type PermissionServices = Pick<Services, 'clock' | 'keyring' | 'store'> & {
  /** The language of the person who asks. */
  readonly language: Language;
};
type FormHandler = (services: PermissionServices, fields: URLSearchParams) => Promise<HtmlPage>;

/** Form handlers by the last part of the path. */
const formHandlers: Readonly<Record<string, FormHandler>> = {
  address: handleAddress,
  code: handleCode,
  words: handleWords,
  list: withPass((services, visit) => renderList(services, visit)),
  confirm: withPass(handleConfirm),
  end: withPass(handleEnd),
};

const formBudgets: Readonly<Record<string, BudgetName>> = { address: 'emailedCodes', words: 'words' };

/** Needs its own Fastify scope, because it accepts only form posts. */
export function addPermissionRoutes(
  app: App,
  services: Pick<Services, 'addresses' | 'clock' | 'keyring' | 'store'>,
  frame: PageFrame,
): void {
  addFormPostParser(app, services.addresses);
  const config = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  app.get('/permissions', { config }, async (request, reply) =>
    sendPage(reply, frame, renderVisitorPage(negotiateLanguage(request))),
  );
  for (const [name, handle] of Object.entries(formHandlers))
    app.post(
      `/permissions/${name}`,
      { config: { ...config, budget: formBudgets[name] ?? 'permissionForms' } },
      async (request, reply) => {
        const { body } = request;
        const fields = body instanceof URLSearchParams ? body : new URLSearchParams();
        const language = negotiateLanguage(request);
        return sendPage(reply, frame, await handle({ ...services, language }, fields));
      },
    );
}

async function handleAddress(services: PermissionServices, fields: URLSearchParams): Promise<HtmlPage> {
  const { language } = services;
  const value = fields.get('address') ?? '';
  const address = normalizeEmailAddress(value);
  if (address === null)
    return renderVisitorPage(language, {
      field: 'address',
      value,
      message: language.say('sign_in.address.invalid'),
    });
  const visit = generateId();
  await requestSignInCode(services, toSignInName(visit), address, language);
  return renderVisitorCodePage(language, visit);
}

async function handleCode(services: PermissionServices, fields: URLSearchParams): Promise<HtmlPage> {
  const { language } = services;
  const visit = fields.get(VISIT_FIELD) ?? '';
  const result = await verifyVisitorCode(services, toSignInName(visit), fields.get('code') ?? '');
  if (result.correct) return await renderFirstList(services, result.userId);
  return result.guessesLeft === 0
    ? renderVisitorPage(language, { field: 'address', message: language.say('sign_in.code.spent') })
    : renderVisitorCodePage(
        language,
        visit,
        language.say('sign_in.code.wrong', { guesses: result.guessesLeft }),
      );
}

/** Separate from the sign-ins of the OAuth engine, so that a short code of one is useless in the other. */
function toSignInName(visit: string): string {
  return `permissions ${visit}`;
}

async function handleWords(services: PermissionServices, fields: URLSearchParams): Promise<HtmlPage> {
  const result = await resolveVisitorByWords(services, {
    lookupToken: fields.get(LOOKUP_TOKEN_FIELD),
    words: fields.get(WORDS_FIELD) ?? '',
  });
  return 'fault' in result
    ? renderVisitorPage(services.language, {
        field: WORDS_FIELD,
        message: sayText(services.language, result.fault),
      })
    : await renderFirstList(services, result.userId);
}

/** The content of a form of the list: who signed in, and which permission to end. */
interface PassVisit {
  readonly userId: string;
  /** Passed on unchanged, so that its lifetime does not restart. */
  readonly pass: string;
  readonly permission: string;
}

type PassHandler = (services: PermissionServices, visit: PassVisit) => Promise<HtmlPage>;

function withPass(handle: PassHandler): FormHandler {
  return async (services, fields) => {
    const pass = fields.get(PASS_FIELD) ?? '';
    const userId = verifyPermissionsPass(services, pass);
    return userId === null
      ? renderVisitorPage(services.language, {
          field: 'address',
          message: services.language.say('permissions.expired'),
        })
      : await handle(services, { userId, pass, permission: fields.get(PERMISSION_FIELD) ?? '' });
  };
}

async function handleConfirm(services: PermissionServices, visit: PassVisit): Promise<HtmlPage> {
  const { userId, pass, permission } = visit;
  const { language } = services;
  if (permission === ALL_PERMISSIONS) return renderEndAllPage(language, pass);
  const permissions = await listPermissions(services, userId);
  const found = permissions.find(({ id }) => id === permission);
  return found
    ? renderConfirmationPage(language, found, { permissions, pass })
    : await renderList(services, visit, () => language.say('permissions.ended.already'));
}

async function handleEnd(services: PermissionServices, visit: PassVisit): Promise<HtmlPage> {
  const { userId, permission } = visit;
  const { language, store } = services;
  if (permission === ALL_PERMISSIONS) {
    await store.transaction((records) => revokeAllUserGrants(records, userId));
    return await renderList(services, visit, () => language.say('permissions.all.ended'));
  }
  const found = (await listPermissions(services, userId)).find(({ id }) => id === permission);
  const hasEnded =
    found !== undefined &&
    (await store.transaction((records) => revokeUserGrant(records, userId, permission)));
  return await renderList(services, visit, (left) =>
    hasEnded ? formatEndedNotice(language.say, found, left) : language.say('permissions.ended.already'),
  );
}

/** A person who has never signed in has no user, and sees the same page as one who has allowed nothing. */
async function renderFirstList(services: PermissionServices, userId: string | null): Promise<HtmlPage> {
  return userId === null
    ? renderPermissionListPage(services.language, { permissions: [], pass: '' })
    : await renderList(services, { userId, pass: createPermissionsPass(services, userId) });
}

/** `toNotice` gets the permissions that are left. */
async function renderList(
  services: PermissionServices,
  { userId, pass }: Pick<PassVisit, 'userId' | 'pass'>,
  toNotice?: (left: readonly Permission[]) => string,
): Promise<HtmlPage> {
  const permissions = await listPermissions(services, userId);
  return renderPermissionListPage(services.language, { permissions, pass, notice: toNotice?.(permissions) });
}

const PASS_CONTEXT = 'permissions page';

/** A hidden value in the forms that proves who has just signed in; no cookie or row has it. */
function createPermissionsPass(
  { clock, keyring }: Pick<Services, 'clock' | 'keyring'>,
  userId: string,
): string {
  const until = clock.now() + PASS_MINUTES * MINUTE_MS;
  const ciphertext = keyring.seal('permissions pass', `${until} ${userId}`, PASS_CONTEXT);
  return Buffer.from(ciphertext).toString('base64url');
}

/** Returns the user, or null if the pass is forged or too old. */
function verifyPermissionsPass(
  { clock, keyring }: Pick<Services, 'clock' | 'keyring'>,
  pass: string,
): string | null {
  try {
    const text = keyring.open('permissions pass', Buffer.from(pass, 'base64url'), PASS_CONTEXT);
    const [until, userId = null] = text.split(' ');
    return Number(until) > clock.now() ? userId : null;
  } catch {
    return null;
  }
}
