/** Forwards the OAuth endpoints to the engine; its router gets no other requests. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { oauthPaths } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { addPopupHeader } from '#platform/http/headers.ts';
import type { Services } from '#services.ts';
import { deleteAbandonedSignIns } from '#store/clients/tokens.ts';
import type { StorageObstacle } from '#store/limits/storage-gate.ts';
import { type OAuthEngineLoader, pinRequestOrigin } from './engine-loader.ts';
import { SIGN_IN_COOKIE } from './sign-in-cookie.ts';

/** What a sign-in stores: its request, encrypted and as base64, and its state. */
const ENCRYPTED_FACTOR = 4 / 3;
const STATE_BYTES = 2_048;
/** How many abandoned sign-ins are deleted at once to make room. */
const BATCH = 100;

/** Needs its own Fastify scope: the engine reads bodies itself and answers as RFC 6749 requires. */
export function addOAuthEndpointRoutes(
  app: App,
  engine: OAuthEngineLoader,
  { addresses, store }: Pick<Services, 'addresses' | 'store'>,
): void {
  app.removeAllContentTypeParsers();
  addPopupHeader(app);
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const config = { access: 'public', produces: '*/*' } as const;
  const tokenOptions = { config: { ...config, budget: 'tokens' }, exposeHeadRoute: false } as const;
  const signInOptions = { config: { ...config, budget: 'authorizations' }, exposeHeadRoute: false } as const;
  const handleOAuthRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const { handleRequest } = await engine();
    const { raw } = pinRequestOrigin(request, addresses);
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.hijack();
    await handleRequest(raw, reply.raw);
  };
  const handleAuthorization = (request: FastifyRequest, reply: FastifyReply) => {
    clearSignInCookie(request, reply);
    // Only the first step is limited: a person who has begun may finish.
    const admission = {
      kind: 'sign_ins',
      bytes: request.url.length * ENCRYPTED_FACTOR + STATE_BYTES,
      // Otherwise strangers could start so many that no one else could sign in.
      makeRoom: async (obstacle: StorageObstacle) =>
        obstacle === 'cap' ? await store.transaction((records) => deleteAbandonedSignIns(records, BATCH)) : 0,
      refusal: () => new ServiceError('storage_full'),
    } as const;
    return store.gate.admit(admission, () => handleOAuthRequest(request, reply));
  };
  app.get(oauthPaths.authorize, signInOptions, handleAuthorization);
  app.get(`${oauthPaths.authorize}/:uid`, signInOptions, handleOAuthRequest);
  app.post(oauthPaths.token, tokenOptions, handleOAuthRequest);
  app.post(oauthPaths.revoke, tokenOptions, handleOAuthRequest);
}

/** Every authorization starts signed out, so that the next user of the browser does not inherit a session. */
function clearSignInCookie({ raw }: FastifyRequest, reply: FastifyReply): void {
  delete raw.headers.cookie;
  reply.header('set-cookie', `${SIGN_IN_COOKIE}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`);
}
