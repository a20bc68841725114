/** Sign-in and consent: the engine redirects users here, and they return to it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InteractionResults, Provider } from 'oidc-provider';
import { getDocumentHost, isDocumentClient, recordDocumentClient } from '#clients/document-clients.ts';
import { type OAuthEngineLoader, pinRequestOrigin } from '#oauth/engine-loader.ts';
import { EMAIL_CLAIM } from '#oauth/permissions.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { addFormPostParser } from '#platform/http/form-post.ts';
import { addPopupHeader } from '#platform/http/headers.ts';
import type { BudgetName } from '#platform/http/limits/limits.ts';
import { normalizeEmailAddress } from '#platform/mail/email-address.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import type { Services } from '#services.ts';
import { findUser } from '#store/clients/users.ts';
import { HTML_MEDIA_TYPE, type HtmlPage, type PageFrame, sendPage } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { WORDS_FIELD } from '#wire/page-parts.ts';
import { sayText } from '#wire/said-text.ts';
import { FORM_TOKEN_FIELD, LOOKUP_TOKEN_FIELD } from '#wire/sign-in-page.ts';
import { resolveUserByWords } from './case-words.ts';
import { requestSignInCode, verifySignInCode } from './email-code.ts';
import {
  renderConsentPage,
  renderSignInCodePage,
  renderSignInPage,
  SHARE_EMAIL_FIELD,
  type SignInStep,
} from './pages.ts';

/** The next page, or the result with which the engine continues. */
type StepResult = HtmlPage | InteractionResults;
type StepHandler = (visit: SignInVisit) => Promise<StepResult>;

/** Form handlers by the last part of the path. */
const formHandlers: Readonly<Record<string, StepHandler>> = {
  address: handleAddressForm,
  code: handleCodeForm,
  words: handleWordsForm,
  consent: handleConsentForm,
  cancel: async () => denied,
};

const formBudgets: Readonly<Record<string, BudgetName>> = { address: 'emailedCodes', words: 'words' };

/** Needs its own Fastify scope, which accepts forms only. */
export function addSignInRoutes(app: App, context: SignInContext): void {
  addFormPostParser(app, context.services.addresses);
  addPopupHeader(app);
  const page = { access: 'public', produces: HTML_MEDIA_TYPE } as const;
  app.get('/sign-in/:uid', { config: page }, createVisitHandler(context, renderCurrentStep));
  for (const [name, handle] of Object.entries(formHandlers))
    app.post(
      `/sign-in/:uid/${name}`,
      { config: { ...page, budget: formBudgets[name] ?? 'signInForms' } },
      createVisitHandler(context, handle),
    );
}

function createVisitHandler(context: SignInContext, handle: StepHandler) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const visit = await requireSignInVisit(context, request, reply);
    const result = await handle(visit);
    if ('main' in result) return sendPage(reply, context.frame, result as HtmlPage);
    return reply.redirect(await visit.provider.interactionResult(request.raw, reply.raw, result), 303);
  };
}

async function renderCurrentStep(visit: SignInVisit): Promise<HtmlPage> {
  const { services, interaction, authorization, step } = visit;
  if (interaction.prompt.name !== 'consent') return renderSignInPage(step);
  const user = await findUser(services.store.records, interaction.session!.accountId);
  return renderConsentPage(step, {
    scopes: authorization.scope.split(' '),
    signedInWith: user?.address_ciphertext ? 'address' : 'words',
  });
}

async function handleAddressForm(visit: SignInVisit): Promise<HtmlPage> {
  requireSignInStep(visit, 'login');
  const { services, step, fields } = visit;
  const value = fields.get('address') ?? '';
  const address = normalizeEmailAddress(value);
  if (address === null)
    return renderSignInPage(step, {
      field: 'address',
      value,
      message: step.language.say('sign_in.address.invalid'),
    });
  await requestSignInCode(services, step.uid, address, step.language);
  return renderSignInCodePage(step);
}

async function handleCodeForm(visit: SignInVisit): Promise<StepResult> {
  requireSignInStep(visit, 'login');
  const { services, step, fields } = visit;
  const result = await verifySignInCode(services, step.uid, fields.get('code') ?? '');
  if (result.correct) return toLoginResult(result.userId);
  if (result.guessesLeft === 0)
    return renderSignInPage(step, {
      field: 'address',
      message: step.language.say('sign_in.code.spent'),
    });
  const guesses = result.guessesLeft;
  return renderSignInCodePage(step, step.language.say('sign_in.code.wrong', { guesses }));
}

async function handleWordsForm(visit: SignInVisit): Promise<StepResult> {
  requireSignInStep(visit, 'login');
  const { services, step, fields } = visit;
  const result = await resolveUserByWords(services, {
    lookupToken: fields.get(LOOKUP_TOKEN_FIELD),
    words: fields.get(WORDS_FIELD) ?? '',
  });
  return 'userId' in result
    ? toLoginResult(result.userId)
    : renderSignInPage(step, { field: WORDS_FIELD, message: sayText(step.language, result.fault) });
}

/** Not remembered: the next authorization asks again. */
function toLoginResult(accountId: string): InteractionResults {
  return { login: { accountId, remember: false } };
}

async function handleConsentForm(visit: SignInVisit): Promise<InteractionResults> {
  requireSignInStep(visit, 'consent');
  const { services, provider, authorization, interaction, fields } = visit;
  const grant = new provider.Grant({
    accountId: interaction.session!.accountId,
    clientId: authorization.client_id,
  });
  // A form that is sent twice makes one grant, and the last choice counts.
  grant.jti = services.keyring.tag('sign-in', `grant ${interaction.uid}`);
  const { missingOIDCScope, missingResourceScopes } = interaction.prompt.details as {
    missingOIDCScope?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  // The engine treats our scopes both as OIDC scopes and as resource scopes; the consent covers both.
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '));
  if (fields.get(SHARE_EMAIL_FIELD) === 'yes') grant.addOIDCClaims([EMAIL_CLAIM]);
  if (isDocumentClient(authorization.client_id))
    await recordDocumentClient(services, authorization.client_id);
  return { consent: { grantId: await grant.save() } };
}

const denied: InteractionResults = {
  error: 'access_denied',
  error_description: 'the person did not allow it',
};

interface SignInContext {
  readonly services: Services;
  readonly engine: OAuthEngineLoader;
  readonly frame: PageFrame;
}

interface SignInVisit {
  readonly services: Services;
  readonly provider: Provider;
  readonly interaction: Awaited<ReturnType<Provider['interactionDetails']>>;
  readonly authorization: AuthorizationRequest;
  readonly step: SignInStep;
  readonly fields: URLSearchParams;
}

/** The parameters of the authorization request that are used here; the engine has validated them. */
interface AuthorizationRequest {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly scope: string;
}

async function requireSignInVisit(
  { services, engine, frame }: SignInContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignInVisit> {
  const { provider } = await engine();
  const { raw } = pinRequestOrigin(request, services.addresses);
  const interaction = await provider.interactionDetails(raw, reply.raw).catch(refuseExpired);
  const { uid } = request.params as { uid: string };
  const authorization = interaction.params as unknown as AuthorizationRequest;
  const clientId = authorization.client_id;
  const client = await provider.Client.find(clientId).catch(refuseExpired);
  // The client or its redirect address may have been removed since the sign-in began.
  if (interaction.uid !== uid || !client?.redirectUriAllowed(authorization.redirect_uri))
    throw new ServiceError('sign_in_expired');
  const formToken = services.keyring.tag('sign-in', `form ${uid}`);
  const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  const sent = fields.get(FORM_TOKEN_FIELD) ?? '';
  if (request.method === 'POST' && !isEqualInConstantTime(sent, formToken))
    throw new ServiceError('foreign_form');
  const step = {
    uid,
    formToken,
    clientName: isDocumentClient(clientId) ? getDocumentHost(clientId) : (client.clientName ?? ''),
    ownName: isDocumentClient(clientId) ? (client.clientName ?? '') : null,
    redirectUri: authorization.redirect_uri,
    siteName: frame.siteName,
    language: negotiateLanguage(request),
  };
  return { services, provider, interaction, authorization, step, fields };
}

/** Refuses a form that belongs to another step, such as one from the browser's history. */
function requireSignInStep({ interaction }: SignInVisit, name: 'login' | 'consent'): void {
  if (interaction.prompt.name !== name) throw new ServiceError('sign_in_expired');
}

/** Converts an error with which the engine refuses a sign-in. */
function refuseExpired(cause: unknown): never {
  const isProtocolError = cause instanceof Error && 'error_description' in cause;
  if (!isProtocolError) throw cause;
  // A 503 means that the document of the client cannot be read now; the sign-in can continue later.
  throw new ServiceError('status' in cause && cause.status === 503 ? 'not_ready' : 'sign_in_expired');
}
