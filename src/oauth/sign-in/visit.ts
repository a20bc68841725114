/** One request in a sign-in: only in the browser that began it, and a form only from the page that it was shown. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import { type OAuthEngineLoader, pinRequestOrigin } from '#oauth/engine-loader.ts';
import { isEqualInConstantTime } from '#platform/constant-time.ts';
import { ServiceError } from '#platform/errors.ts';
import type { Services } from '#services.ts';
import { findActiveClient } from '#store/clients.ts';
import type { PageFrame } from '#view/page.ts';
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
  readonly asked: Asked;
  readonly step: SignInStep;
  readonly fields: URLSearchParams;
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** Those of the authorization request that matter here; the engine has checked them. */
interface Asked {
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
  const interaction = await provider.interactionDetails(raw, reply.raw).catch((cause: unknown) => {
    throw isProtocolError(cause) ? new ServiceError('sign_in_expired') : cause;
  });
  const { uid } = request.params as { uid: string };
  const asked = interaction.params as unknown as Asked;
  const client = await findActiveClient(services.store.records, asked.client_id);
  if (interaction.uid !== uid || !client) throw new ServiceError('sign_in_expired');
  const formToken = services.keyring.tag('sign-in', `form ${uid}`);
  const fields = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  if (request.method === 'POST' && !isEqualInConstantTime(fields.get(FORM_TOKEN_FIELD) ?? '', formToken))
    throw new ServiceError('foreign_form');
  const step = {
    uid,
    formToken,
    clientName: client.name,
    redirectUri: asked.redirect_uri,
    siteName: frame.siteName,
  };
  return { services, provider, interaction, asked, step, fields };
}

/** A form that is sent at another step than its own was kept from an earlier one. */
export function requireSignInStep({ interaction }: SignInVisit, name: 'login' | 'consent'): void {
  if (interaction.prompt.name !== name) throw new ServiceError('sign_in_expired');
}

function isProtocolError(error: unknown): boolean {
  return error instanceof Error && 'error_description' in error;
}
