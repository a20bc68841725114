/** Finds the cases whose shred key or sealed key is not where it should be. */
import { giveWay } from '#platform/turns.ts';
import { toRowNumber } from '../engine/row-number.ts';
import { chooseRows } from '../engine/selected-rows.ts';
import type { ShredKeyPlace, ShredKeyState, ShredKeys } from '../keys/shred-keys.ts';
import type { Records } from '../schema/tables.ts';
import type { Case } from './cases.ts';

const BATCH = 500;

interface CaseWithoutKey extends ShredKeyPlace, Pick<Case, 'id'> {
  readonly state: Exclude<ShredKeyState, 'present'>;
}

/** Cases that are being purged are not listed: their keys may already be destroyed. */
export async function* listCasesWithoutKey(
  records: Records,
  shredKeys: Pick<ShredKeys, 'inspect'>,
): AsyncGenerator<CaseWithoutKey> {
  for (let after = ''; ; ) {
    const rest = { purging: 0, id: ['>', after] } as const;
    const query = chooseRows(records, 'cases', rest, { by: 'id', limit: BATCH });
    const cases = await query.select(['id', 'key_slot', 'shred_id']).execute();
    const states = await shredKeys.inspect(records, cases);
    const ids = cases.map(({ id }) => id);
    const sealed = await listSealedKeys(records, ids);
    for (const [index, record] of cases.entries()) {
      const found = states[index] ?? 'missing';
      const state = found === 'present' && !sealed.has(record.id) ? 'damaged' : found;
      if (state !== 'present') yield { ...record, state };
    }
    const last = cases.at(-1);
    if (!last || cases.length < BATCH) return;
    after = last.id;
    await giveWay();
  }
}

/** Returns the ids of the cases that have a sealed key. */
async function listSealedKeys(records: Records, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const query = records.selectFrom('case_keys').select('case_id');
  const rows = await query.where('number', 'in', ids.map(toRowNumber)).execute();
  return new Set(rows.map(({ case_id: id }) => id));
}
