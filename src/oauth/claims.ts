/** The claims endpoint: returns the subject of a token, as OpenID claims and as a PocketBase record. */
import { type Static, Type } from 'typebox';
import { oauthPaths } from '#platform/addresses.ts';
import type { App } from '#platform/http/app-type.ts';
import type { Services } from '#services.ts';
import { findToken, hashTokenValue } from '#store/clients/tokens.ts';
import { findUser } from '#store/clients/users.ts';
import { type Caller, requireCaller } from './guard.ts';
import { parseGrantPayload } from './permissions.ts';

const Email = Type.String({ format: 'email' });
const Claims = Type.Object({
  sub: Type.String(),
  client_id: Type.String(),
  scope: Type.String(),
  email: Type.Optional(Email),
  email_verified: Type.Optional(Type.Boolean()),
  /** The presented token: PocketBase clients replace their own with it. */
  token: Type.String(),
  record: Type.Object({
    id: Type.String(),
    collectionId: Type.Literal('users'),
    collectionName: Type.Literal('users'),
    verified: Type.Boolean(),
    email: Type.Optional(Email),
  }),
});

/** Needs its own Fastify scope, because PocketBase clients send the JSON content type without a body. */
export function addClaimsRoutes(app: App, services: Pick<Services, 'keyring' | 'store'>): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.route({
    method: ['GET', 'POST'],
    url: oauthPaths.claims,
    config: { access: 'token', bareToken: true },
    schema: { response: { 200: Claims } },
    handler: async (request) => {
      const caller = requireCaller(request);
      return toTokenClaims(caller, await readSharedEmail(services, caller));
    },
  });
}

/** Empty unless the person has an address and ticked, for this grant, that the client may learn it. */
async function readSharedEmail(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  { userId, token }: Caller,
): Promise<{ email?: string }> {
  if (userId === null) return {};
  const { grant } = await findToken(store.records, 'AccessToken', hashTokenValue(token));
  if (!grant || !parseGrantPayload(grant.payload).sharesEmail) return {};
  const user = await findUser(store.records, userId);
  return user?.address_ciphertext
    ? { email: keyring.open('user address', user.address_ciphertext, user.id) }
    : {};
}

/** The subject is the user, or the client itself if it acts without one. */
function toTokenClaims(
  { clientId, userId, scopes, token }: Caller,
  contact: { email?: string },
): Static<typeof Claims> {
  const id = userId ?? clientId;
  const verified = contact.email !== undefined;
  return {
    sub: id,
    client_id: clientId,
    scope: scopes.join(' '),
    ...contact,
    ...(verified ? { email_verified: true } : {}),
    token,
    record: { id, collectionId: 'users', collectionName: 'users', verified, ...contact },
  };
}
