/** Cases written straight into the store, with bytes that can be found again in any file. */
import { randomBytes } from 'node:crypto';
import { newId } from '#platform/ids.ts';
import { type Case, insertCase } from '#store/cases.ts';
import { insertObject } from '#store/objects.ts';
import { bindShredKey, shutAway } from '#store/shred-keys.ts';
import type { Store } from '#store/store.ts';

export interface PlantedCase {
  readonly record: Case;
  /** Bytes that stand in its sealed objects and, as the shred key, in its key. */
  readonly markers: readonly Buffer[];
}

export async function plantCase(
  store: Store,
  changes: Partial<Case> = {},
  pieceBytes = 600,
): Promise<PlantedCase> {
  const id = newId();
  const now = changes.submitted_at ?? Date.now();
  const marker = randomBytes(24);
  const caseKey = Buffer.concat([Buffer.alloc(100, 1), marker]);
  const box = await shutAway(store.shredKeys, id, caseKey, now);
  const record: Case = {
    id,
    lookup_hash: newId(),
    tier: 'Trace',
    state: 'delivered',
    call: 'none',
    sealed_by: 'browser',
    keep_days: 30,
    terms_version: '2026-11',
    key_box: box,
    submitted_at: now,
    due_at: now + 172_800_000,
    delivered_at: now,
    purge_at: now + 30 * 86_400_000,
    purging: 0,
    ...changes,
  };
  const bytes = Buffer.concat(Array.from({ length: Math.ceil(pieceBytes / 24) }, () => marker));
  await store.transaction(async (records) => {
    await insertCase(records, record);
    for (const kind of ['inquiry.v1', 'inquiry-file.v1', 'finding.v1'] as const)
      await insertObject(records, { id: newId(), caseId: id, kind, seq: 0, bytes, now });
  });
  await bindShredKey(store.shredKeys, id);
  const { key } = await store.shredKeys
    .selectFrom('shred_keys')
    .select('key')
    .where('case_id', '=', id)
    .executeTakeFirstOrThrow();
  return { record, markers: [marker, Buffer.from(key), Buffer.from(box).subarray(0, 24)] };
}
