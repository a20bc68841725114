/** Cases written straight into the store, with marker bytes that a test can search for in any file. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { generateId } from '#platform/ids.ts';
import { type Case, insertCase } from '#store/cases.ts';
import { insertObject } from '#store/objects.ts';
import { padForErasure } from '#store/overflow-bytes.ts';
import { encryptBox } from '#store/secret-box.ts';
import type { Store } from '#store/store.ts';

type CaseStore = Pick<Store, 'shredKeys' | 'transaction'>;

export interface SeededCase {
  readonly record: Case;
  /** Bytes of its sealed objects and of its shred key. */
  readonly markers: readonly Buffer[];
}

interface SeedOptions {
  readonly changes?: Partial<Case>;
  readonly objectBytes?: number;
}

export async function seedCase(
  store: CaseStore,
  changes: Partial<Case> = {},
  objectBytes = 600,
): Promise<SeededCase> {
  const [planted] = await seedCases(store, 1, { changes, objectBytes });
  if (!planted) throw new Error('nothing was planted');
  return planted;
}

/** Seeds many cases at once, so that they share commits. */
export async function seedCases(
  store: CaseStore,
  count: number,
  { changes = {}, objectBytes = 600 }: SeedOptions = {},
): Promise<SeededCase[]> {
  const planted = Array.from({ length: count }, () => buildSeededCase(changes, objectBytes));
  const keys = planted.map(({ record, key }) => ({
    case_id: record.id,
    key: padForErasure(key),
    bound: 1 as const,
    made_at: record.submitted_at,
  }));
  await store.shredKeys.insertInto('shred_keys').values(keys).execute();
  await store.transaction(async (records) => {
    for (const { record, bytes } of planted) {
      await insertCase(records, record);
      const place = { caseId: record.id, seq: 0, bytes, now: record.submitted_at };
      for (const kind of ['inquiry.v1', 'inquiry-file.v1', 'finding.v1'] as const)
        await insertObject(records, { id: generateId(), kind, ...place });
    }
  });
  return planted.map(({ record, markers }) => ({ record, markers }));
}

function buildSeededCase(changes: Partial<Case>, objectBytes: number) {
  const id = generateId();
  const now = changes.submitted_at ?? Date.now();
  const marker = randomBytes(24);
  const key = randomBytes(32);
  const box = encryptBox(createSecretKey(key), Buffer.concat([Buffer.alloc(100, 1), marker]), id);
  const record: Case = {
    id,
    lookup_hash: generateId(),
    owner: null,
    words_tag: generateId(),
    tier: 'Trace',
    state: 'delivered',
    call: 'none',
    sealed_by: 'browser',
    keep_days: 30,
    terms_version: '2026-11',
    key_box: padForErasure(box),
    submitted_at: now,
    due_at: now + 172_800_000,
    delivered_at: now,
    purge_at: now + 30 * 86_400_000,
    purging: 0,
    ...changes,
  };
  const bytes = Buffer.concat(Array.from({ length: Math.ceil(objectBytes / 24) }, () => marker));
  return { record, key, bytes, markers: [marker, key, Buffer.from(box).subarray(0, 24)] };
}
