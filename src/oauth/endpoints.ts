/** The addresses that the engine answers, and only those: its own router never sees another. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Addresses, oauthPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app.ts';
import { type Engine, pinned } from './engine-loader.ts';
import { SESSION_COOKIE } from './session-cookie.ts';

const TOKENS_PER_MINUTE = 300;
const SIGN_INS_PER_MINUTE = 60;

/** In a scope of its own: the engine reads bodies itself, and its answers are RFC 6749's. */
export function addOAuthEndpoints(app: App, engine: Engine, addresses: Addresses): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const config = { access: 'public', produces: '*/*' } as const;
  const often = { config: { ...config, rateLimit: { max: TOKENS_PER_MINUTE } }, exposeHeadRoute: false };
  const rarely = { config: { ...config, rateLimit: { max: SIGN_INS_PER_MINUTE } }, exposeHeadRoute: false };
  const answer = (request: FastifyRequest, reply: FastifyReply) =>
    serve({ engine, addresses }, request, reply);
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    forgetSignIn(request, reply);
    return answer(request, reply);
  };
  app.get(oauthPaths.authorize, rarely, begin);
  app.get(`${oauthPaths.authorize}/:uid`, rarely, answer);
  app.post(oauthPaths.token, often, answer);
  app.post(oauthPaths.revoke, often, answer);
  app.get(oauthPaths.jwks, often, answer);
}

interface ServeParts {
  readonly engine: Engine;
  readonly addresses: Addresses;
}

async function serve(
  { engine, addresses }: ServeParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { answer } = await engine();
  const { raw } = pinned(request, addresses);
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.hijack();
  await answer(raw, reply.raw);
}

/** Every authorization begins with nobody signed in: whoever uses this browser next must not find it open. */
function forgetSignIn({ raw }: FastifyRequest, reply: FastifyReply): void {
  delete raw.headers.cookie;
  reply.header('set-cookie', `${SESSION_COOKIE}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`);
}
