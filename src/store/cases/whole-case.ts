/** A case with its sealed key and list of objects, read in one statement if the database also holds the shred keys. */
import { sql } from 'kysely';
import { findLastAuditEntry } from '../audit-log.ts';
import { isPostgres, prepareQuery } from '../engine/prepared.ts';
import { toRowNumber } from '../engine/row-number.ts';
import { openCaseKey, readCaseKey } from '../keys/shred-keys.ts';
import type { Store } from '../store.ts';
import {
  buildKeptFilter,
  type Case,
  type CaseViewer,
  findCase,
  findCaseForViewer,
  isVisible,
} from './cases.ts';
import { listCaseObjects, type ObjectRow, type StoredObject, toStoredObject } from './objects.ts';

export interface WholeCase {
  readonly record: Case;
  /** Null if the shred key was destroyed, or if only the list was requested. */
  readonly caseKey: Uint8Array | null;
  /** Oldest first. */
  readonly objects: readonly StoredObject[];
  /** The last entry of the audit log about the case, if the key is for the desk. */
  readonly lastEntry: string | null;
}

interface WholeRow extends Case {
  readonly case_key: Uint8Array | null;
  readonly shred_key: Uint8Array | null;
  readonly last_entry?: string | null;
  /** Null if there are no objects. */
  readonly listed: readonly ObjectRow[] | null;
}

interface AskedCase extends CaseViewer {
  readonly id: string;
  readonly number: number;
  readonly now: number;
}

const keyColumns = (number: number) => [
  sql<Uint8Array>`(select ciphertext from case_keys where number = ${number} and case_id = cases.id)`.as(
    'case_key',
  ),
  sql<Uint8Array>`(select key from shred_keys where case_id = cases.id)`.as('shred_key'),
];

const lastEntryColumn = sql<string | null>`(select entry from audit_entries
  where subject_id = cases.id order by entry desc limit 1)`.as('last_entry');

function prepareWhole(isForViewer: boolean, hasKey: boolean) {
  return prepareQuery<AskedCase, WholeRow>((records, { id, number, now, owner, words_tag }) =>
    records
      .selectFrom('cases')
      .selectAll()
      .select([
        ...(hasKey ? keyColumns(number) : []),
        ...(hasKey && !isForViewer ? [lastEntryColumn] : []),
        sql<ObjectRow[]>`(select json_agg(listed order by kept_at, kind, seq) from
            (select id, kind, seq, size, kept_at, author from objects where case_id = cases.id) as listed)`.as(
          'listed',
        ),
      ])
      .where('id', '=', id)
      .where(buildKeptFilter(now))
      .$if(isForViewer, (query) => query.where(isVisible({ owner, words_tag }))),
  );
}

const selectWhole = {
  viewer: { sealed: prepareWhole(true, true), listed: prepareWhole(true, false) },
  desk: { sealed: prepareWhole(false, true), listed: prepareWhole(false, false) },
} as const;

/** Finds a case for a viewer or, if `viewer` is null, for the desk, but none that is due for purge or being purged. */
export async function findWholeCase(
  store: Pick<Store, 'records' | 'shredKeys'>,
  id: string,
  viewer: CaseViewer | null,
  now: number,
  parts: 'sealed' | 'listed' = 'sealed',
): Promise<WholeCase | undefined> {
  const { records } = store;
  if (!isPostgres(records)) {
    const record = await (viewer ? findCaseForViewer(records, id, viewer, now) : findCase(records, id, now));
    if (!record) return undefined;
    const caseKey = parts === 'sealed' ? await readCaseKey(store, record) : null;
    const lastEntry = parts === 'sealed' && !viewer ? await findLastAuditEntry(records, id) : null;
    return { record, caseKey, objects: await listCaseObjects(records, id), lastEntry };
  }
  const asked = { id, number: toRowNumber(id), now, owner: '', words_tag: null, ...viewer };
  const [row] = await selectWhole[viewer ? 'viewer' : 'desk'][parts](records, asked);
  if (!row) return undefined;
  const { case_key: ciphertext, shred_key: shredKey, last_entry: lastEntry = null, listed, ...record } = row;
  const caseKey = parts === 'sealed' ? openCaseKey(id, ciphertext, shredKey) : null;
  return { record, caseKey, objects: (listed ?? []).map(toStoredObject), lastEntry };
}
