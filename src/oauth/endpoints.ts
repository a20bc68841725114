/** The addresses that the engine answers, and only those: its own router never sees another. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { oauthPaths, type PublicAddresses } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { type OAuthEngineLoader, pinRequestOrigin } from './engine-loader.ts';
import { SIGN_IN_COOKIE } from './session-cookie.ts';

const TOKENS_PER_MINUTE = 300;
const SIGN_INS_PER_MINUTE = 60;

/** In a scope of its own: the engine reads bodies itself, and its answers are RFC 6749's. */
export function addOAuthEndpointRoutes(
  app: App,
  engine: OAuthEngineLoader,
  addresses: PublicAddresses,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const config = { access: 'public', produces: '*/*' } as const;
  const often = { config: { ...config, rateLimit: { max: TOKENS_PER_MINUTE } }, exposeHeadRoute: false };
  const rarely = { config: { ...config, rateLimit: { max: SIGN_INS_PER_MINUTE } }, exposeHeadRoute: false };
  const handleOAuthRequest = (request: FastifyRequest, reply: FastifyReply) =>
    forwardToEngine({ engine, addresses }, request, reply);
  const handleAuthorization = (request: FastifyRequest, reply: FastifyReply) => {
    clearSignInCookie(request, reply);
    return handleOAuthRequest(request, reply);
  };
  app.get(oauthPaths.authorize, rarely, handleAuthorization);
  app.get(`${oauthPaths.authorize}/:uid`, rarely, handleOAuthRequest);
  app.post(oauthPaths.token, often, handleOAuthRequest);
  app.post(oauthPaths.revoke, often, handleOAuthRequest);
  app.get(oauthPaths.jwks, often, handleOAuthRequest);
}

interface ServeParts {
  readonly engine: OAuthEngineLoader;
  readonly addresses: PublicAddresses;
}

async function forwardToEngine(
  { engine, addresses }: ServeParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { answer } = await engine();
  const { raw } = pinRequestOrigin(request, addresses);
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.hijack();
  await answer(raw, reply.raw);
}

/** Every authorization begins with nobody signed in: whoever uses this browser next must not find it open. */
function clearSignInCookie({ raw }: FastifyRequest, reply: FastifyReply): void {
  delete raw.headers.cookie;
  reply.header('set-cookie', `${SIGN_IN_COOKIE}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`);
}
