/** What the engine keeps, in our record store: hashed ids, and single use as a compare-and-set. */
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { engineClient } from '#clients/clients.ts';
import type { Clock } from '#platform/clock.ts';
import { findActiveClient } from '#store/clients.ts';
import type { Keyring } from '#store/keyring.ts';
import type { Store } from '#store/store.ts';
import {
  consumeToken,
  deleteToken,
  findToken,
  findTokenByUid,
  putNewToken,
  putToken,
  revokeGrant,
  type Token,
  tokenId,
} from '#store/tokens.ts';

export interface AdapterParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyring: Keyring;
}

/** Their payload repeats their own id and those of others, so it is encrypted as a whole. */
const SEALED: ReadonlySet<string> = new Set(['Session', 'Interaction']);

export function adapterFor(parts: AdapterParts): (kind: string) => Adapter {
  return (kind) => (kind === 'Client' ? clientAdapter(parts) : tokenAdapter(parts, kind));
}

/** Clients are made by `oauth/clients.ts` alone. */
function clientAdapter({ store }: AdapterParts): Adapter {
  const refuse = async () => {
    throw new Error('the engine does not write clients');
  };
  return {
    find: async (id) => {
      const client = await findActiveClient(store.records, id);
      return client && engineClient(client);
    },
    findByUid: refuse,
    findByUserCode: refuse,
    upsert: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}

function tokenAdapter(parts: AdapterParts, kind: string): Adapter {
  const { store, clock } = parts;
  const shown = (row: Token | undefined) => (row ? payloadOf(parts, row) : undefined);
  return {
    // A proof is only ever written: whether it was seen before, the write itself tells.
    find: async (value) =>
      kind === 'ReplayDetection'
        ? undefined
        : withValue(shown(await findToken(store.records, kind, tokenId(value))), value),
    findByUid: async (uid) => shown(await findTokenByUid(store.records, kind, tokenId(uid))),
    findByUserCode: async () => undefined,
    upsert: async (value, payload, expiresIn) => {
      const row = rowOf(parts, { kind, value, payload, expiresIn: expiresIn ?? 0 });
      if (kind !== 'ReplayDetection') return await store.transaction((records) => putToken(records, row));
      if (!(await store.transaction((records) => putNewToken(records, row))))
        throw new errors.InvalidDpopProof('the proof was used before');
    },
    consume: async (value) => {
      const mine = await store.transaction((records) => consumeToken(records, tokenId(value), clock.now()));
      if (!mine) throw new errors.InvalidGrant('used before');
    },
    destroy: async (value) => await store.transaction((records) => deleteToken(records, tokenId(value))),
    revokeByGrantId: async (grantId) => await store.transaction((records) => revokeGrant(records, grantId)),
  };
}

interface Kept {
  readonly kind: string;
  readonly value: string;
  readonly payload: AdapterPayload;
  readonly expiresIn: number;
}

function rowOf({ clock, keyring }: AdapterParts, { kind, value, payload, expiresIn }: Kept): Token {
  const id = tokenId(value);
  const { jti: _value, ...rest } = payload;
  const text = SEALED.has(kind)
    ? Buffer.from(keyring.seal('sign-in', JSON.stringify(payload), id)).toString('base64')
    : JSON.stringify(rest);
  return {
    id,
    kind,
    payload: text,
    client_id: payload.clientId ?? null,
    grant_id: (kind === 'Grant' ? value : payload.grantId) ?? null,
    uid_hash: kind === 'Session' && payload.uid ? tokenId(payload.uid) : null,
    consumed_at: null,
    expires_at: clock.now() + expiresIn * 1_000,
  };
}

function payloadOf({ keyring }: AdapterParts, { id, kind, payload, consumed_at }: Token): AdapterPayload {
  const text = SEALED.has(kind) ? keyring.open('sign-in', Buffer.from(payload, 'base64'), id) : payload;
  const kept = JSON.parse(text) as AdapterPayload;
  return consumed_at === null ? kept : { ...kept, consumed: Math.floor(consumed_at / 1_000) };
}

function withValue(payload: AdapterPayload | undefined, value: string): AdapterPayload | undefined {
  return payload && { ...payload, jti: value };
}
