/** One request of a sign-in: must come from the browser that started it; a form must come from our own page. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import { getDocumentHost, isDocumentClient } from '#clients/document-clients.ts';
import { type OAuthEngineLoader, pinRequestOrigin } from '#oauth/engine-loader.ts';
import { ServiceError } from '#platform/errors.ts';
import { isEqualInConstantTime } from '#platform/text/constant-time.ts';
import type { Services } from '#services.ts';
import type { PageFrame } from '#view/page.ts';
import { negotiateLanguage } from '#view/request-language.ts';
import { FORM_TOKEN_FIELD } from '#wire/sign-in-page.ts';
import type { SignInStep } from './pages.ts';

export interface SignInContext {
  readonly services: Services;
  readonly engine: OAuthEngineLoader;
  readonly frame: PageFrame;
}

export interface SignInVisit {
  readonly services: Services;
  readonly provider: Provider;
  readonly interaction: Interaction;
  readonly authorization: AuthorizationRequest;
  readonly step: SignInStep;
  readonly fields: URLSearchParams;
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** The parameters of the authorization request that are used here; the engine has validated them. */
interface AuthorizationRequest {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly scope: string;
}

export async function requireSignInVisit(
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
export function requireSignInStep({ interaction }: SignInVisit, name: 'login' | 'consent'): void {
  if (interaction.prompt.name !== name) throw new ServiceError('sign_in_expired');
}

/** Converts an error with which the engine refuses a sign-in. */
function refuseExpired(cause: unknown): never {
  const isProtocolError = cause instanceof Error && 'error_description' in cause;
  if (!isProtocolError) throw cause;
  // A 503 means that the document of the client cannot be read now; the sign-in can continue later.
  throw new ServiceError('status' in cause && cause.status === 503 ? 'not_ready' : 'sign_in_expired');
}
