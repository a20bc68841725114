/** Tombstones: what remains of a purged case; for a while its words still find the date of the purge. */
import { type Insertable, sql } from 'kysely';
import { buildAuditClearing } from '../audit-log.ts';
import { executeTogether } from '../engine/prepared.ts';
import { toRowNumber } from '../engine/row-number.ts';
import { findRow, updateSome } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import type { CaseCount } from './case-counts.ts';
import { matchPurgedObjects, type PurgedObjects } from './object-deletion.ts';

interface PurgingCase {
  /** The pieces of all its objects, counted up to a limit. */
  readonly pieces: number;
  /** The client to notify of the purge. */
  readonly client_ciphertext: Uint8Array | null;
  /** The buyer who signed in with the words. */
  readonly user_id: string | null;
}

/** The data that the last step of a purge needs; undefined if another process was first. */
export async function findPurgingCase(
  records: Records,
  purged: PurgedObjects,
  { wordsTag, limit }: { readonly wordsTag: string; readonly limit: number },
): Promise<PurgingCase | undefined> {
  const isPurged = matchPurgedObjects(purged);
  const pieces = sql<number>`(select count(*) from (
    select number from objects where ${isPurged} union all
    select piece.number from objects join object_pieces as piece on object_number = objects.number
      where ${isPurged} limit ${limit}) as counted)`;
  return await records
    .selectFrom('cases')
    .leftJoin('case_webhooks', 'case_webhooks.case_id', 'cases.id')
    .leftJoin('users', (join) => join.on('users.words_tag', '=', wordsTag))
    .select(['client_ciphertext', 'users.id as user_id', pieces.as('pieces')])
    .where('cases.id', '=', purged.id)
    .executeTakeFirst();
}

/** Deletes the case with all its rows; call it in the transaction that found the case. */
export async function replaceByTombstone(
  records: Records,
  purged: PurgedObjects,
  tombstone: Required<Insertable<Tables['tombstones']>>,
  counts: readonly Pick<CaseCount, 'period' | 'what'>[],
): Promise<void> {
  const { id } = purged;
  const { purged_on, forget_at } = tombstone;
  const isPurged = matchPurgedObjects(purged);
  const objects = records.selectFrom('objects').select('number').where(isPurged);
  const parts = {
    gone_pieces: records.deleteFrom('object_pieces').where('object_number', 'in', objects).compile(),
    gone_objects: records.deleteFrom('objects').where(isPurged).compile(),
    gone_key: records
      .deleteFrom('case_keys')
      .where('number', '=', toRowNumber(id))
      .where('case_id', '=', id)
      .compile(),
    // The trace that a client submitted the case, and the tag of the request body.
    gone_claims: records.deleteFrom('idempotency').where('record_id', '=', id).compile(),
    cleared: buildAuditClearing(records, [id]).compile(),
    counted: records
      .insertInto('case_counts')
      .values(counts.map((count) => ({ ...count, counted: 1 })))
      .onConflict((conflict) =>
        conflict.columns(['period', 'what']).doUpdateSet({ counted: sql`case_counts.counted + 1` }),
      )
      .compile(),
    buried: records
      .insertInto('tombstones')
      .values(tombstone)
      // The same words were used for a second case, which only a custom client can do: keep the later date.
      .onConflict((conflict) => conflict.column('lookup_hash').doUpdateSet({ purged_on, forget_at }))
      .compile(),
  };
  await executeTogether(records, parts, records.deleteFrom('cases').where('id', '=', id).compile());
}

/** Returns the date on which the case with these words was purged. */
export async function findPurgeDay(records: Records, lookupHash: string): Promise<string | null> {
  return (await findRow(records, 'tombstones', { lookup_hash: lookupHash }))?.purged_on ?? null;
}

/** Returns the number of changed tombstones. */
export async function clearTombstoneLookups(records: Records, now: number, limit: number): Promise<number> {
  const change = { lookup_hash: null, purged_on: null, forget_at: null };
  return await updateSome(records, 'tombstones', { forget_at: ['<=', now] }, change, limit);
}
