/** Cases: state, due time and purge time. The inquiry itself is sealed and stored in objects. */
import {
  type Expression,
  type ExpressionBuilder,
  type Selectable,
  type SqlBool,
  sql,
  type UpdateObject,
} from 'kysely';
import { DAY_MS } from '#platform/durations.ts';
import type { PageRequest } from '#platform/page-cursor.ts';
import type { CaseState } from '#wire/case-states.ts';
import { executeTogether, isPostgres, prepareFind, prepareInsert, prepareQuery } from '../engine/prepared.ts';
import { claimDueRows, countMatching, limitToPage, updateRows } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';

export type Case = Selectable<Tables['cases']>;

export const insertCase = prepareInsert('cases');

/** A case that is being purged counts as deleted, and so does one whose purge is due but has to wait. */
export async function findCase(records: Records, id: string, now: number): Promise<Case | undefined> {
  const query = records.selectFrom('cases').selectAll().where('id', '=', id);
  return await query.where(buildKeptFilter(now)).executeTakeFirst();
}

export async function findCaseByLookup(
  records: Records,
  lookupHash: string,
  now: number,
): Promise<Case | undefined> {
  const record = await findCaseIncludingPurging(records, lookupHash);
  return record?.purging === 0 && (record.purge_at ?? Infinity) > now ? record : undefined;
}

/** True if a case with these words exists or existed. */
export async function isLookupKnown(records: Records, lookupHash: string): Promise<boolean> {
  const [row] = await selectLookup(records, { lookupHash });
  return Boolean(row?.known);
}

const selectLookup = prepareQuery<{ lookupHash: string }, { known: unknown }>((records, { lookupHash }) => {
  const known = sql`(exists (select 1 from cases where lookup_hash = ${lookupHash})
    or exists (select 1 from tombstones where lookup_hash = ${lookupHash}))`;
  return records.selectNoFrom(known.as('known'));
});

export function buildKeptFilter(now: number) {
  return (where: ExpressionBuilder<Tables, 'cases'>): Expression<SqlBool> =>
    where.and([
      where('purging', '=', 0),
      where.or([where('purge_at', 'is', null), where('purge_at', '>', now)]),
    ]);
}

/** The most that `DELIVERY_UNDO_MINUTES` allows. A release further ahead was set by a fast clock and counts as past. */
export const MAX_HOLD_MS = DAY_MS;

/** Matches cases whose finding or decline the desk can still take back. */
export function buildOnHoldFilter(now: number) {
  return sql<boolean>`(state_on_hold is not null and released_at > ${now} and released_at - ${sql.lit(MAX_HOLD_MS)} <= ${now})`;
}

/** A viewer sees the cases with one of these tags. */
export interface CaseViewer {
  readonly owner: string;
  /** Null unless the viewer signed in with words. */
  readonly words_tag: string | null;
}

/** A null tag matches nothing. */
export function isVisible({ owner, words_tag: wordsTag }: CaseViewer) {
  return (where: ExpressionBuilder<Tables, 'cases'>): Expression<SqlBool> =>
    where.or([where('owner', '=', owner), where(sql.ref('words_tag'), '=', wordsTag)]);
}

const findForViewer = prepareQuery<CaseViewer & { id: string; now: number }, Case>(
  (records, { id, now, owner, words_tag }) => {
    const query = records.selectFrom('cases').selectAll().where('id', '=', id);
    return query.where(buildKeptFilter(now)).where(isVisible({ owner, words_tag }));
  },
);

/** One query, so that a missing case and another viewer's case take the same time. */
export async function findCaseForViewer(
  records: Records,
  id: string,
  { owner, words_tag }: CaseViewer,
  now: number,
): Promise<Case | undefined> {
  return (await findForViewer(records, { id, now, owner, words_tag }))[0];
}

/** Newest first. One query per tag, because each tag column has its own index. */
export async function listCasesForViewer(
  records: Records,
  tags: CaseViewer,
  page: PageRequest,
  now: number,
): Promise<Case[]> {
  const casesById = new Map<string, Case>();
  for (const column of ['owner', 'words_tag'] as const) {
    const tag = tags[column];
    if (tag === null) continue;
    const query = records.selectFrom('cases').selectAll().where(column, '=', tag).where(buildKeptFilter(now));
    const found = await limitToPage(query, { by: 'submitted_at', direction: 'desc' }, page).execute();
    for (const row of found) casesById.set(row.id, row);
  }
  return [...casesById.values()].toSorted(compareNewestFirst).slice(0, page.limit);
}

function compareNewestFirst(one: Case, other: Case): number {
  return other.submitted_at - one.submitted_at || (one.id < other.id ? 1 : -1);
}

/** Returns the case with this lookup hash or, if there is none, the next one: finding either takes the same time. */
export async function findNearestCase(
  records: Records,
  lookupHash: string,
  now: number,
): Promise<Case | undefined> {
  return await records
    .selectFrom('cases')
    .selectAll()
    .where('lookup_hash', '>=', lookupHash)
    .where(buildKeptFilter(now))
    .orderBy('lookup_hash')
    .limit(1)
    .executeTakeFirst();
}

/** Also finds a case that is being purged. */
export const findCaseIncludingPurging = prepareFind('cases', 'lookup_hash');

export interface ChangedCase {
  readonly record: Case;
  /** Whether its client has a webhook. */
  readonly isLinked: boolean;
}

/** Returns undefined if the case has changed since it was read, or is being purged. */
export async function updateCaseIfUnchanged(
  records: Records,
  { id, state, call }: Pick<Case, 'id' | 'state' | 'call'>,
  changes: UpdateObject<Tables, 'cases'>,
): Promise<ChangedCase | undefined> {
  const row = await records
    .updateTable('cases')
    .set(changes)
    .where('id', '=', id)
    .where('state', '=', state)
    .where('call', '=', call)
    .where('purging', '=', 0)
    .returningAll()
    .returning(sql`exists (select 1 from case_webhooks where case_id = cases.id)`.as('linked'))
    .executeTakeFirst();
  if (!row) return undefined;
  const { linked, ...record } = row;
  return { record, isLinked: Boolean(linked) };
}

/** Leaves `changed_at` as it is, because the desk may see only how many findings were opened. */
export async function markFindingOpened(records: Records, id: string): Promise<void> {
  await updateRows(records, 'cases', { id, state: 'delivered' }, { finding_opened: 1 });
}

/** After a restore: the requests for a purge may have been withdrawn since the records were copied. */
export async function undoWaitingPurges(records: Records): Promise<void> {
  const asked = { kept_until: ['is not', null], purging: 0 } as const;
  const change = { purge_at: sql.ref<number>('kept_until'), kept_until: null, purge_by: null };
  await updateRows(records, 'cases', asked, change);
}

/** Counts the cases whose purge is due. */
export async function countDueCases(records: Records, now: number): Promise<number> {
  return await countMatching(records, 'cases', { purge_at: ['<=', now] });
}

interface PurgeNow {
  /** The case must be in one of these, also in the buyer's view. */
  readonly states: readonly CaseState[];
  readonly now: number;
  /** Undefined for the buyer, who gets no e-mail about it; else who requested it, stored with the old purge date. */
  readonly by?: string | null | undefined;
}

/** Marks a case for purge, irrevocably and whatever its date; returns undefined if it is in none of the states. */
export async function markCaseForPurge(
  records: Records,
  id: string,
  { states, now, by }: PurgeNow,
): Promise<Case | undefined> {
  const isEnded = (where: ExpressionBuilder<Tables, 'cases'>) =>
    where.and([
      where('id', '=', id),
      where('state', 'in', states),
      where('purging', '=', 0),
      where.not(buildOnHoldFilter(now)),
    ]);
  const ended = records.selectFrom('cases').where(isEnded);
  const marking = records
    .updateTable('cases')
    .set((columns) => ({
      purging: 1,
      purge_at: now,
      changed_at: now,
      kept_until: by === undefined ? null : columns.ref('purge_at'),
      purge_by: by ?? null,
    }))
    .returningAll();
  if (by !== undefined) return await marking.where(isEnded).executeTakeFirst();
  const told = records.deleteFrom('notices');
  if (!isPostgres(records)) {
    await told.where('id', 'in', ended.select('notice_id').$castTo<{ notice_id: string }>()).execute();
    return await marking.where(isEnded).executeTakeFirst();
  }
  const parts = {
    // Waits for any running act on the case, and finds nothing if that act rules out the purge.
    ended: ended.select(['id', 'notice_id']).forUpdate().compile(),
    told: told.where('id', 'in', sql<string>`(select notice_id from ended)`).returning('id').compile(),
  };
  // Uses the locked row, because a part with its own lookup may run after this one and find the case marked. A notice
  // inserted while this waited is invisible to the statement: nothing is marked, and the caller learns of the change.
  const markable = sql<string>`(select id from ended where notice_id is null or notice_id in (select id from told))`;
  const last = marking.where('id', 'in', markable).compile();
  const [marked] = await executeTogether(records, parts, last);
  return marked;
}

/** Marks due cases for purge, irrevocably. A marked case is returned again until it is deleted. */
export async function markCasesForPurge(records: Records, now: number, limit: number): Promise<Case[]> {
  return await claimDueRows(records, 'cases', { by: 'purge_at', now, limit }, { purging: 1 });
}

/** Cases marked earlier: a process may have died while purging them. */
export async function listMarkedCases(records: Records, limit: number): Promise<Case[]> {
  // Spelled as in the partial index, which SQLite would not use otherwise.
  const isMarked = sql<boolean>`purging = 1`;
  const marked = records.selectFrom('cases').selectAll().where(isMarked).where('purge_at', '>', 0);
  return await marked.limit(limit).execute();
}
