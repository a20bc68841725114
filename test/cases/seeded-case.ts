/** Inserts cases directly into the store, with marker bytes that a test can search for in any file. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { generateId } from '#platform/text/ids.ts';
import { buildCaseKeyRow, insertCaseKeyRow } from '#store/cases/case-keys.ts';
import { type Case, insertCase } from '#store/cases/cases.ts';
import { insertObjectPiece, MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { toRowNumber } from '#store/engine/row-number.ts';
import { encryptValue } from '#store/keys/keyring.ts';
import type { ShredKeyPlace } from '#store/keys/shred-keys.ts';
import type { Records } from '#store/schema/tables.ts';
import type { Store } from '#store/store.ts';

type CaseStore = Pick<Store, 'shredKeys' | 'transaction'>;

export interface SeededCase {
  readonly record: Case;
  /** The sealed case key as it is stored. */
  readonly ciphertext: Uint8Array;
  /** Bytes of the sealed objects, the shred key, and the beginning of the ciphertext of the case key. */
  readonly markers: readonly Buffer[];
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
  {
    changes = {},
    objectBytes = 600,
  }: { readonly changes?: Partial<Case>; readonly objectBytes?: number } = {},
): Promise<SeededCase[]> {
  return await store.transaction(async (records) => {
    const planted: SeededCase[] = [];
    for (let index = 0; index < count; index += 1) {
      const id = generateId();
      const seeded = buildSeededCase({ id, ...(await store.shredKeys.create(records, id)), changes });
      await insertCase(records, seeded.record);
      await insertCaseKeyRow(records, buildCaseKeyRow(id, seeded.ciphertext));
      await insertSeededObjects(records, seeded, objectBytes);
      planted.push(seeded);
    }
    return planted;
  });
}

interface SeededParts {
  readonly id: string;
  readonly key: Uint8Array;
  readonly place: ShredKeyPlace;
  readonly changes: Partial<Case>;
}

/** Builds the row of a case and its markers, without storing it. */
export function buildSeededCase({ id, key, place, changes }: SeededParts): SeededCase {
  const marker = randomBytes(24);
  const ciphertext = encryptValue(createSecretKey(key), Buffer.concat([Buffer.alloc(100, 1), marker]), id);
  const record = createCaseRow({ id, ...place, ...changes });
  return { record, ciphertext, markers: [marker, Buffer.from(key), Buffer.from(ciphertext).subarray(0, 24)] };
}

/** The row of a delivered case, unless changed. */
export function createCaseRow(changes: Partial<Case>): Case {
  const now = changes.submitted_at ?? Date.now();
  return {
    id: generateId(),
    lookup_hash: generateId(),
    owner: null,
    words_tag: generateId(),
    tier: 'Trace',
    state: 'delivered',
    call: 'none',
    sealed_by: 'browser',
    keep_days: 30,
    sealed_to: null,
    awaiting_reply_since: null,
    terms_version: '2026-11',
    submitted_at: now,
    due_at: now + 172_800_000,
    delivered_at: now,
    taken_at: null,
    released_at: null,
    shortened_from: null,
    state_on_hold: null,
    finding_seq: 0,
    notice_id: null,
    assignee: null,
    changed_at: now,
    purge_at: now + 30 * 86_400_000,
    kept_until: null,
    purge_by: null,
    taken_from: null,
    finding_opened: 0,
    handed_by: null,
    purging: 0,
    key_slot: null,
    shred_id: null,
    ...changes,
  };
}

/** Inserts objects that consist of the first marker. */
async function insertSeededObjects(
  records: Records,
  { record, markers: [marker = Buffer.alloc(24)] }: SeededCase,
  objectBytes: number,
): Promise<void> {
  const bytes = Buffer.concat(Array.from({ length: Math.ceil(objectBytes / marker.length) }, () => marker));
  const place = { case_id: record.id, seq: 0, size: bytes.length, kept_at: record.submitted_at };
  for (const kind of ['inquiry.v1', 'inquiry-file.v1', 'finding.v1'] as const) {
    const id = generateId();
    const first = bytes.subarray(0, MAX_STORED_PIECE_BYTES);
    const row = { number: toRowNumber(id), id, kind, ...place, bytes: first };
    await records.insertInto('objects').values(row).execute();
    for (let piece = 1, at = first.length; at < bytes.length; piece += 1, at += MAX_STORED_PIECE_BYTES) {
      const part = bytes.subarray(at, at + MAX_STORED_PIECE_BYTES);
      await insertObjectPiece(records, { objectId: id, piece, bytes: part });
    }
  }
}
