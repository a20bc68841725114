/** The permissions page: a person signs in anew at each visit, sees what programs may do for them, and ends it. */
import { ENGLISH } from '#language/languages.ts';
import { endAllPermissions, endPermission, listPermissions } from '#oauth/permissions.ts';
import { resolveVisitorByWords } from '#oauth/sign-in/case-words.ts';
import { requestSignInCode, verifyVisitorCode } from '#oauth/sign-in/email-code.ts';
import { normalizeEmailAddress } from '#platform/email-address.ts';
import type { App } from '#platform/http/app.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import { generateId } from '#platform/ids.ts';
import type { Services } from '#services.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { LOOKUP_TOKEN_FIELD } from '#wire/sign-in-page.ts';
import {
  ALL_ENDED,
  ALL_PERMISSIONS,
  ALREADY_ENDED,
  formatEndedNotice,
  PASS_FIELD,
  PERMISSION_FIELD,
  renderConfirmationPage,
  renderEndAllPage,
  renderPermissionListPage,
  renderVisitorCodePage,
  renderVisitorPage,
  VISIT_FIELD,
} from './pages.ts';
import { createPermissionsPass, verifyPermissionsPass } from './pass.ts';

const MAX_TRIES_PER_MINUTE = 20;
/** Each sends a letter to an address that anybody may type. */
const MAX_LETTERS_PER_MINUTE = 6;

type PermissionServices = Pick<Services, 'clock' | 'keyring' | 'store'>;
type FormHandler = (services: PermissionServices, fields: URLSearchParams) => Promise<HtmlPage>;

/** Form handlers by the last part of the path. */
const formHandlers: Readonly<Record<string, FormHandler>> = {
  address: handleAddress,
  code: handleCode,
  words: handleWords,
  list: withPass(async (services, visit) => await renderList(services, visit)),
  confirm: withPass(handleConfirm),
  end: withPass(handleEnd),
};

/** Needs a scope of its own, because it accepts form posts only. */
export function addPermissionRoutes(
  app: App,
  services: Pick<Services, 'addresses'> & PermissionServices,
  frame: PageFrame,
): void {
  addFormPostParser(app, services.addresses);
  const config = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  app.get('/permissions', { config }, async (_request, reply) => sendPage(reply, frame, renderVisitorPage()));
  for (const [name, handle] of Object.entries(formHandlers))
    app.post(
      `/permissions/${name}`,
      {
        config: {
          ...config,
          rateLimit: { max: name === 'address' ? MAX_LETTERS_PER_MINUTE : MAX_TRIES_PER_MINUTE },
        },
      },
      async ({ body }, reply) => {
        const fields = body instanceof URLSearchParams ? body : new URLSearchParams();
        return sendPage(reply, frame, await handle(services, fields));
      },
    );
}

async function handleAddress(services: PermissionServices, fields: URLSearchParams): Promise<HtmlPage> {
  const value = fields.get('address') ?? '';
  const address = normalizeEmailAddress(value);
  if (address === null)
    return renderVisitorPage({ field: 'address', value, message: ENGLISH.say('sign_in.address.invalid') });
  const visit = generateId();
  await requestSignInCode(services, toSignInName(visit), address);
  return renderVisitorCodePage(visit);
}

async function handleCode(services: PermissionServices, fields: URLSearchParams): Promise<HtmlPage> {
  const visit = fields.get(VISIT_FIELD) ?? '';
  const result = await verifyVisitorCode(services, toSignInName(visit), fields.get('code') ?? '');
  if (result.correct) return await renderFirstList(services, result.userId);
  return result.guessesLeft === 0
    ? renderVisitorPage({ field: 'address', message: ENGLISH.say('sign_in.code.spent') })
    : renderVisitorCodePage(visit, ENGLISH.say('sign_in.code.wrong', { guesses: result.guessesLeft }));
}

/** Kept apart from the sign-ins of the OAuth engine, so that a short code of one is useless in the other. */
function toSignInName(visit: string): string {
  return `permissions ${visit}`;
}

async function handleWords(services: PermissionServices, fields: URLSearchParams): Promise<HtmlPage> {
  const result = await resolveVisitorByWords(services, {
    lookupToken: fields.get(LOOKUP_TOKEN_FIELD),
    words: fields.get(WORDS_FIELD) ?? '',
  });
  return 'fault' in result
    ? renderVisitorPage({ field: WORDS_FIELD, message: result.fault })
    : await renderFirstList(services, result.userId);
}

/** What a form of the list says: who signed in, and what to end. */
interface PassVisit {
  readonly userId: string;
  /** Handed on unchanged, so that its time does not start again. */
  readonly pass: string;
  readonly permission: string;
}

type PassHandler = (services: PermissionServices, visit: PassVisit) => Promise<HtmlPage>;

function withPass(handle: PassHandler): FormHandler {
  return async (services, fields) => {
    const pass = fields.get(PASS_FIELD) ?? '';
    const userId = verifyPermissionsPass(services, pass);
    return userId === null
      ? renderVisitorPage({ field: 'address', message: 'That page was open too long. Sign in again' })
      : await handle(services, { userId, pass, permission: fields.get(PERMISSION_FIELD) ?? '' });
  };
}

async function handleConfirm(services: PermissionServices, visit: PassVisit): Promise<HtmlPage> {
  const { userId, pass, permission } = visit;
  if (permission === ALL_PERMISSIONS) return renderEndAllPage(pass);
  const permissions = await listPermissions(services, userId);
  const found = permissions.find(({ id }) => id === permission);
  return found
    ? renderConfirmationPage(found, { permissions, pass })
    : renderPermissionListPage({ permissions, pass, notice: ALREADY_ENDED });
}

async function handleEnd(services: PermissionServices, visit: PassVisit): Promise<HtmlPage> {
  const { userId, pass, permission } = visit;
  if (permission === ALL_PERMISSIONS) {
    await endAllPermissions(services, userId);
    const permissions = await listPermissions(services, userId);
    return renderPermissionListPage({ permissions, pass, notice: ALL_ENDED });
  }
  const found = (await listPermissions(services, userId)).find(({ id }) => id === permission);
  const ended = found !== undefined && (await endPermission(services, userId, permission));
  const permissions = await listPermissions(services, userId);
  const notice = ended ? formatEndedNotice(found, permissions) : ALREADY_ENDED;
  return renderPermissionListPage({ permissions, pass, notice });
}

/** A person who never signed in before has no user, and sees the same as one who allowed nothing. */
async function renderFirstList(services: PermissionServices, userId: string | null): Promise<HtmlPage> {
  return userId === null
    ? renderPermissionListPage({ permissions: [], pass: '' })
    : await renderList(services, { userId, pass: createPermissionsPass(services, userId) });
}

async function renderList(
  services: PermissionServices,
  { userId, pass }: Pick<PassVisit, 'userId' | 'pass'>,
): Promise<HtmlPage> {
  return renderPermissionListPage({ permissions: await listPermissions(services, userId), pass });
}
