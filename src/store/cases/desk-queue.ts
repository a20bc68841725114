/** The desk's queue: lists and counts of cases, every choice served by an index. */
import { type SelectQueryBuilder, sql } from 'kysely';
import type { PageRequest } from '#platform/page-cursor.ts';
import type { SealedKind } from '#seal/core/header.ts';
import type { CaseState } from '#wire/case-states.ts';
import { MAX_COUNTED } from '#wire/desk-cases.ts';
import { limitToPage } from '../engine/selected-rows.ts';
import type { Records, Tables } from '../schema/tables.ts';
import { buildKeptFilter, buildOnHoldFilter, type Case } from './cases.ts';

/** More of them would not help an investigator to choose. */
const MAX_IDS = 10;

export interface CaseChoice {
  readonly states: readonly CaseState[];
  /** Also cases that were delivered or declined and are on hold. */
  readonly withOnHold?: boolean;
  /** Null for unassigned cases. */
  readonly assignee?: string | null | undefined;
  /** Assignees in addition to `assignee`. */
  readonly alsoAssignedTo?: readonly string[] | undefined;
  /** Only cases in which the buyer wrote last. */
  readonly awaitingReply?: boolean | undefined;
  /** Only cases whose purge an investigator has requested. */
  readonly purgeAsked?: boolean | undefined;
  readonly dueBefore?: number | undefined;
  readonly dueAfter?: number | undefined;
  readonly tier?: string | undefined;
}

/** Earliest due first. */
export async function listCasesByDue(
  records: Records,
  choice: CaseChoice,
  page: PageRequest,
  now: number,
): Promise<Case[]> {
  const kept = records.selectFrom('cases').selectAll().where(buildKeptFilter(now));
  const [first, ...others] = buildQueries(kept, choice, now).map((query) =>
    records.selectFrom(limitToPage(query, { by: 'due_at', direction: 'asc' }, page).as('part')).selectAll(),
  );
  if (!first) return [];
  // If no case can be in two parts, the database need not compare rows.
  const isApart = !choice.withOnHold || !ON_HOLD_STATES.some((state) => choice.states.includes(state));
  const unite = isApart ? 'unionAll' : 'union';
  const all = others.reduce((united, query) => united[unite](query), first);
  return await all.orderBy('due_at').orderBy('id').limit(page.limit).execute();
}

/** Up to `MAX_COUNTED`. Cases due for purge count until they are purged; the choices of the desk include none. */
export async function countChosenCases(records: Records, choice: CaseChoice, now: number): Promise<number> {
  return (await countChoices(records, { chosen: choice }, now)).chosen;
}

/** Returns the count of each choice by its name. */
export async function countChoices<Name extends string>(
  records: Records,
  choices: Readonly<Record<Name, CaseChoice>>,
  now: number,
): Promise<Record<Name, number>> {
  const named = Object.entries<CaseChoice>(choices);
  const counts = named.map(([name, choice]) => {
    const cases = records.selectFrom('cases').select('state');
    const parts = buildQueries(cases, choice, now, joinStates).map(
      (query) => sql`(select count(*) from ${query.limit(sql.lit(MAX_COUNTED))} as counted)`,
    );
    return sql<number>`${sql.join([sql.lit(0), ...parts], sql` + `)}`.as(name);
  });
  const row = await records.selectNoFrom(counts).executeTakeFirst();
  const limited = named.map(([name]) => [name, Math.min(Number(row?.[name]), MAX_COUNTED)]);
  return Object.fromEntries(limited) as Record<Name, number>;
}

type CaseQuery<Row> = SelectQueryBuilder<Tables, 'cases', Row>;
/** For a list each state is a part of the query, because the index has their order only within a state. */
type StateFilter = <Row>(query: CaseQuery<Row>, states: readonly CaseState[]) => CaseQuery<Row>[];

const splitStates: StateFilter = (query, states) => states.map((state) => query.where('state', '=', state));
const joinStates: StateFilter = (query, states) =>
  states.length > 0 ? [query.where('state', 'in', states)] : [];

function buildQueries<Row>(
  cases: CaseQuery<Row>,
  choice: CaseChoice,
  now: number,
  filterStates = splitStates,
): CaseQuery<Row>[] {
  const { states, assignee, alsoAssignedTo = [], dueBefore, dueAfter, tier } = choice;
  let chosen = tier === undefined ? cases : cases.where('tier', '=', tier);
  if (choice.purgeAsked) chosen = chosen.where('purge_by', 'is not', null);
  if (choice.awaitingReply) chosen = chosen.where('awaiting_reply_since', 'is not', null);
  if (dueBefore !== undefined) chosen = chosen.where('due_at', '<', dueBefore);
  if (dueAfter !== undefined) chosen = chosen.where('due_at', '>=', dueAfter);
  const byState = filterStates(chosen, [...new Set(states)]);
  const queries =
    assignee === undefined
      ? byState
      : [assignee, ...alsoAssignedTo].flatMap((each) =>
          byState.map((query) => query.where('assignee', each === null ? 'is' : '=', each)),
        );
  return choice.withOnHold
    ? [...queries, ...filterStates(buildOnHoldQuery(cases, choice, now), ON_HOLD_STATES)]
    : queries;
}

/** Only cases in these states can be on hold, and few are. */
const ON_HOLD_STATES = ['delivered', 'declined'] as const;

function buildOnHoldQuery<Row>(
  cases: CaseQuery<Row>,
  { assignee, awaitingReply, tier }: CaseChoice,
  now: number,
): CaseQuery<Row> {
  let onHold = cases.where(buildOnHoldFilter(now));
  if (tier !== undefined) onHold = onHold.where('tier', '=', tier);
  if (assignee) onHold = onHold.where(sql`assignee || ''`, '=', assignee);
  if (awaitingReply) onHold = onHold.where(sql`coalesce(awaiting_reply_since, 0)`, '>', 0);
  return onHold;
}

/** Cases that have changed since, in any state; the earliest change first. */
export async function listChangedCases(
  records: Records,
  since: number,
  { limit, after }: PageRequest,
  now: number,
): Promise<Case[]> {
  const changed = records
    .selectFrom('cases')
    .selectAll()
    .where('changed_at', '>=', since)
    .where(buildKeptFilter(now))
    .orderBy('changed_at')
    .orderBy('id')
    .limit(limit);
  if (!after) return await changed.execute();
  return await changed.where(sql<boolean>`(changed_at, id) > (${after.at}, ${after.id})`).execute();
}

/** Counts by case and kind up to the last number: a missing object counts, because numbers are not reused. */
export async function countCaseObjects(
  records: Records,
  caseIds: readonly string[],
  kinds: readonly SealedKind[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const counts = new Map<string, Map<string, number>>(caseIds.map((id) => [id, new Map()]));
  if (caseIds.length === 0) return counts;
  const rows = await records
    .selectFrom('objects')
    .select(({ fn }) => ['case_id', 'kind', fn.max('seq').as('last')])
    .where('case_id', 'in', caseIds)
    .where('kind', 'in', kinds)
    .groupBy(['case_id', 'kind'])
    .execute();
  for (const { case_id: id, kind, last } of rows) counts.get(id ?? '')?.set(kind ?? '', (last ?? -1) + 1);
  return counts;
}

/** Scans all cases, but only for a typed beginning of an id. Leaves out those purged or due for purge. */
export async function listCaseIdsByBeginning(
  records: Records,
  beginnings: readonly string[],
  now: number,
): Promise<string[]> {
  const rows = await records
    .selectFrom('cases')
    .select('id')
    .where((where) =>
      where.or(beginnings.map((text) => where(sql`substr(id, 1, ${sql.lit(text.length)})`, '=', text))),
    )
    .where(buildKeptFilter(now))
    .limit(MAX_IDS)
    .execute();
  return rows.map(({ id }) => id).toSorted();
}

/** The assignees of cases in any state, found by skipping along the index. */
export async function listAssignees(records: Records): Promise<string[]> {
  const { rows } = await sql<{ assignee: string }>`select assignee from (
    with recursive known (assignee) as (
      select min(assignee) from cases where assignee is not null
      union all
      select (select min(assignee) from cases where assignee > known.assignee) from known
        where known.assignee is not null
    ) select assignee from known) as people where assignee is not null`.execute(records);
  return rows.map(({ assignee }) => assignee);
}
