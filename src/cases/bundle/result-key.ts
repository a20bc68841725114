/**
 * The result key of an exported case: a result carries a MAC under it. The service keeps it boxed, a bundle has it
 * sealed to the desk, and whoever carries the bundle has neither.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { isEqualInConstantTime } from '#platform/constant-time.ts';
import { type AgeIdentity, openSealedBytes, sealBytes } from '#seal/age.ts';
import { decodeUtf8, encodeUtf8 } from '#seal/bytes.ts';
import type { CaseKeyHolders } from '#seal/case-key.ts';
import { SealError } from '#seal/seal-error.ts';
import type { Services } from '#services.ts';
import { findBundleKeyBox, insertBundleKey } from '#store/bundle-keys.ts';

const KEY_BYTES = 32;
const PURPOSE = 'bundle result';
const MAC_CONTEXT = 'inquiry-office bundle result v1\n';

/** The exported case; a case key that is sealed again for another team is another export. */
export interface ExportedCase {
  readonly id: string;
  readonly lookupHash: string;
  readonly caseKey: Uint8Array;
}

type KeyServices = Pick<Services, 'keyring' | 'store'>;

export async function loadOrCreateResultKey(services: KeyServices, exported: ExportedCase): Promise<string> {
  const known = await findResultKey(services, exported);
  if (known !== null) return known;
  const { keyring, store } = services;
  const generated = randomBytes(KEY_BYTES).toString('base64url');
  const caseKeyHash = computeCaseKeyHash(exported);
  const box = keyring.seal(PURPOSE, generated, toBoxContext(exported));
  await store.transaction(
    async (records) =>
      await insertBundleKey(records, { case_id: exported.id, case_key_hash: caseKeyHash, box }),
  );
  return (await findResultKey(services, exported)) ?? generated;
}

/** Null if this case key was never exported. */
export async function findResultKey(
  { keyring, store }: KeyServices,
  exported: ExportedCase,
): Promise<string | null> {
  const box = await findBundleKeyBox(store.records, exported.id, computeCaseKeyHash(exported));
  return box ? keyring.open(PURPOSE, box, toBoxContext(exported)) : null;
}

/** Names the case inside, so that a key cannot be carried from one bundle to another by mistake. */
export async function sealResultKey(
  key: string,
  exported: ExportedCase,
  { desk, recovery }: CaseKeyHolders,
): Promise<Uint8Array> {
  return await sealBytes(encodeUtf8(`${formatKeyHead(exported)}${key}\n`), [...desk, recovery]);
}

export async function openResultKey(
  sealed: Uint8Array,
  identity: AgeIdentity,
  exported: ExportedCase,
): Promise<string> {
  const text = decodeUtf8(await openSealedBytes(sealed, identity));
  const head = formatKeyHead(exported);
  const key = text.slice(head.length, -1);
  if (!text.startsWith(head) || !/^[\w-]{43}$/.test(key)) throw new SealError('swapped');
  return key;
}

/** `digest` is the SHA-256 of a whole bundle: its case key, its actions and every object. */
export function computeResultMac(key: string, digest: Uint8Array): string {
  return createHmac('sha256', Buffer.from(key, 'base64url'))
    .update(MAC_CONTEXT)
    .update(digest)
    .digest('base64url');
}

export function isGenuineResult(
  key: string,
  { digest, mac }: { readonly digest: Uint8Array; readonly mac: string },
): boolean {
  return isEqualInConstantTime(mac, computeResultMac(key, digest));
}

function computeCaseKeyHash({ caseKey }: ExportedCase): string {
  return createHash('sha256').update(caseKey).digest('base64url');
}

function toBoxContext(exported: ExportedCase): string {
  return `${exported.id} ${computeCaseKeyHash(exported)}`;
}

function formatKeyHead(exported: ExportedCase): string {
  return `inquiry-office bundle key 1 ${exported.lookupHash} ${computeCaseKeyHash(exported)}\n`;
}
