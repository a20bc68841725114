/** Stores the OAuth engine's objects in our record store, with hashed ids and single use by compare-and-set. */
import { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { toClientMetadata } from '#clients/clients.ts';
import { SECOND_MS } from '#platform/durations.ts';
import { isId } from '#platform/text/id-pattern.ts';
import type { Services } from '#services.ts';
import { findActiveClient } from '#store/clients/clients.ts';
import {
  consumeToken,
  deleteToken,
  findToken,
  findTokenByUid,
  hashTokenValue,
  insertTokenOnce,
  revokeGrant,
  revokeUsedToken,
  type TokenRecord,
  upsertToken,
} from '#store/clients/tokens.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import type { Records } from '#store/schema/tables.ts';
import { normalizePayload, type ResourceNaming } from './one-resource.ts';

type OidcAdapterContext = Pick<Services, 'store' | 'clock' | 'keyring'> & { readonly naming: ResourceNaming };

/** Kinds whose payload contains usable ids, so the whole payload is encrypted. */
const ENCRYPTED_KINDS: ReadonlySet<string> = new Set(['Session', 'Interaction']);

/** The grant that was read with the code or refresh token of a request; undefined if it or its user is gone. */
const grantsByRequest = new WeakMap<KoaContextWithOIDC, { id: string; row: TokenRecord | undefined }>();

/** True if the user was found with the grant of this request. */
export function isUserOfGrant(ctx: KoaContextWithOIDC, userId: string): boolean {
  return grantsByRequest.get(ctx)?.row?.user_id === userId;
}

export function createOidcAdapterFactory(context: OidcAdapterContext): (kind: string) => Adapter {
  return (kind) => (kind === 'Client' ? createClientAdapter(context) : createTokenAdapter(context, kind));
}

/** The engine only reads clients; `clients/` creates them. */
function createClientAdapter({ store }: OidcAdapterContext): Adapter {
  const refuseOperation = async () => {
    throw new Error('the engine does not write clients');
  };
  return {
    find: async (id) => {
      // Callers can send any text as an id, but not every text can be queried.
      const client = isId(id) ? await findActiveClient(store.records, id) : undefined;
      return client && toClientMetadata(client);
    },
    findByUid: refuseOperation,
    findByUserCode: refuseOperation,
    upsert: refuseOperation,
    consume: refuseOperation,
    destroy: refuseOperation,
    revokeByGrantId: refuseOperation,
  };
}

function createTokenAdapter(context: OidcAdapterContext, kind: string): Adapter {
  const { store, clock } = context;
  const runAlone = async <Result>(work: (records: Records) => Promise<Result>) =>
    await store.transaction(work, 'one statement');
  return {
    // DPoP proofs are never read: inserting one twice fails, which detects the replay.
    find: async (value) => {
      if (kind === 'ReplayDetection') return undefined;
      const row = await findTokenOfRequest(store.records, kind, hashTokenValue(value));
      return row && { ...decodeTokenPayload(context, row), jti: value };
    },
    findByUid: async (uid) => {
      const row = await findTokenByUid(store.records, kind, hashTokenValue(uid));
      return row && decodeTokenPayload(context, row);
    },
    findByUserCode: async () => undefined,
    upsert: async (value, payload, expiresIn = 0) => {
      const lifetime = expiresIn * SECOND_MS;
      const row = {
        ...toTokenRow(context.keyring, kind, value, payload),
        expires_at: clock.now() + lifetime,
      };
      if (kind !== 'ReplayDetection') return await runAlone((records) => upsertToken(records, row));
      // The engine counts from now, but a proof dated in the future stays valid for up to twice as long.
      const expires_at = row.expires_at + lifetime;
      if (!(await runAlone((records) => insertTokenOnce(records, { ...row, expires_at }))))
        throw new errors.InvalidDpopProof('the proof was used before');
    },
    consume: async (value) => {
      const id = hashTokenValue(value);
      if (await runAlone((records) => consumeToken(records, id, clock.now()))) return;
      await runAlone((records) => revokeUsedToken(records, id));
      throw new errors.InvalidGrant('used before');
    },
    destroy: async (value) => void (await runAlone((records) => deleteToken(records, hashTokenValue(value)))),
    revokeByGrantId: async (grantId) => void (await runAlone((records) => revokeGrant(records, grantId))),
  };
}

/** The engine looks up a code or a refresh token, then its grant and its user: one statement reads all three. */
async function findTokenOfRequest(
  records: Records,
  kind: string,
  id: string,
): Promise<TokenRecord | undefined> {
  const { ctx } = Provider;
  const known = ctx && grantsByRequest.get(ctx);
  if (kind === 'Grant' && known?.id === id) return known.row;
  const { token, grant } = await findToken(records, kind, id);
  if (ctx && kind !== 'Grant' && token?.grant_id)
    grantsByRequest.set(ctx, { id: hashTokenValue(token.grant_id), row: grant });
  return token;
}

function toTokenRow(
  keyring: Keyring,
  kind: string,
  value: string,
  payload: AdapterPayload,
): Omit<TokenRecord, 'expires_at'> {
  const id = hashTokenValue(value);
  const { jti: _value, ...rest } = payload;
  const text = ENCRYPTED_KINDS.has(kind)
    ? Buffer.from(keyring.seal('sign-in', JSON.stringify(payload), id)).toString('base64')
    : JSON.stringify(rest);
  return {
    id,
    kind,
    payload: text,
    client_id: payload.clientId ?? null,
    grant_id: (kind === 'Grant' ? value : payload.grantId) ?? null,
    user_id: (kind === 'Grant' ? payload.accountId : null) ?? null,
    uid_hash: computeUidHash(keyring, kind, value, payload),
    consumed_at: null,
  };
}

/** For a sign-in, the tag by which its codes are found until the person has signed in. */
function computeUidHash(
  keyring: Keyring,
  kind: string,
  value: string,
  { uid, session }: AdapterPayload,
): string | null {
  if (kind === 'Session' && uid) return hashTokenValue(uid);
  return kind === 'Interaction' && !session?.accountId ? keyring.tag('sign-in', value) : null;
}

function decodeTokenPayload(
  { keyring, naming }: OidcAdapterContext,
  { id, kind, payload, consumed_at }: TokenRecord,
): AdapterPayload {
  const text = ENCRYPTED_KINDS.has(kind)
    ? keyring.open('sign-in', Buffer.from(payload, 'base64'), id)
    : payload;
  const stored = normalizePayload(JSON.parse(text) as AdapterPayload, naming);
  return consumed_at === null ? stored : { ...stored, consumed: Math.floor(consumed_at / 1_000) };
}
