/** Makes sign-ins give way that only began, so that strangers who open many of them cannot keep people from signing in. */
import type { Services } from '#services.ts';
import { listStartedSignIns } from '#store/clients/sign-in-codes.ts';
import { deleteToken, listOldestSignIns, type TokenRecord } from '#store/clients/tokens.ts';
import type { StorageObstacle } from '#store/limits/storage-gate.ts';

const BATCH = 100;

/** The stored payload of a sign-in, as the engine writes it. */
interface SignInPayload {
  /** As in the address of its pages. */
  readonly jti: string;
  /** Once the person has signed in. */
  readonly session?: { readonly accountId?: string };
}

/** The oldest, without those in which a person has signed in or had a code sent. Returns how many went. */
export async function makeSignInsGiveWay(
  { keyring, store }: Pick<Services, 'keyring' | 'store'>,
  obstacle: StorageObstacle,
): Promise<number> {
  // They are small and soon gone: a full disk has another cause.
  if (obstacle === 'floor') return 0;
  const openPayload = ({ id, payload }: Pick<TokenRecord, 'id' | 'payload'>) =>
    JSON.parse(keyring.open('sign-in', Buffer.from(payload, 'base64'), id)) as SignInPayload;
  return await store.transaction(async (records) => {
    const begun = (await listOldestSignIns(records, BATCH)).flatMap((row) => {
      const { jti: uid, session } = openPayload(row);
      return session?.accountId === undefined ? { id: row.id, tag: keyring.tag('sign-in', uid) } : [];
    });
    const started = await listStartedSignIns(
      records,
      begun.map(({ tag }) => tag),
    );
    const abandoned = begun.filter(({ tag }) => !started.has(tag));
    for (const { id } of abandoned) await deleteToken(records, id);
    return abandoned.length;
  });
}
