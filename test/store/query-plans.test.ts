/** No query of the service or the command line reads every row of a growing table. */
import assert from 'node:assert/strict';
import test, { after, suite } from 'node:test';
import { type CompiledQuery, Kysely, sql } from 'kysely';
import { readConfig } from '#platform/config/config.ts';
import { type CaseChoice, countChosenCases, listCasesByDue } from '#store/cases/desk-queue.ts';
import { deleteCaseObjects } from '#store/cases/object-deletion.ts';
import { computeObjectSize } from '#store/cases/objects.ts';
import { countStagedPieces } from '#store/cases/staged-objects.ts';
import { SharedFileAdapter } from '#store/engine/sqlite-dialect.ts';
import type { Tables } from '#store/schema/tables.ts';
import { openDatabaseEngine } from '#store/store.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { listEngines, openTestStore, silentLog, sqliteUnderTest, type TestDatabase } from './engines.ts';
import { fillStore } from './filled-store.ts';
import { listSamples, loadQueryFunctions, NOW, sampleArguments } from './query-functions.ts';

const SORT = 'USE TEMP B-TREE FOR ORDER BY';
const ROWS = 5_000;
/** Enough for some pages of a list and the related rows. */
const MAX_READ_ROWS = 1_000;

/** Tables that stay small; `counted`, `known`, `others` and `part` are subqueries. */
const SMALL = new Set([
  'CONSTANT',
  'audit_head',
  'last_seen_time',
  'counted',
  'desk_digests',
  'digest_lines',
  'previous_installations',
  'kept_secrets',
  'known',
  'last_backup',
  'master_keys',
  'others',
  'part',
  'records_installation',
  'recipient_set',
  'shred_installation',
]);

/** Indexes that contain only rows that wait for work, so that a scan lists just those. */
const WAITING = /USING (?:COVERING )?INDEX (contact_messages_open|orders_on_hold)$/;

/** Functions that may scan a table, with the reason. */
const SCANS: Readonly<Record<string, string>> = {
  clearNoticeIds: 'a restore, in an empty place',
  countCasesToReseal: 'asked once at a start',
  countOpenForms: 'asked once, when the master key is changed: the orders of some days',
  countDueRefunds: 'few: each waits until a person has made it',
  deleteExpiredRows: 'refunds, which are few: each waits until a person has made it',
  countRows: 'asked once, for the progress of a change of the master key',
  countShortLived: 'asked once, when the master key is changed',
  deleteShortLived: 'all of them, when the master key is changed',
  countUntriedOutbox: 'the outbox holds only what waits or was given up of late; a command asks',
  endOffers: 'a restore, in an empty place',
  holdUnusedOrders: 'a restore, in an empty place',
  listAuditEntries: 'one page of all of them, in the order of the index',
  listRegistrations: 'one page of all of them, in the order of the index',
  listCaseIdsByBeginning: 'an investigator has typed it',
  listCasesToReseal: 'the work of an owner, after the team has changed',
  listFailedOutboxIds: 'the outbox holds only what waits or was given up of late; a command asks',
  markRestoredRefunds: 'a restore, in an empty place',
  markRestoredWebhooks: 'a restore, in an empty place',
  measureStorageUse: 'what is counted has a cap',
  undoWaitingPurges: 'a restore, in an empty place',
};
/** Functions that may sort their results instead of reading them in the order of an index. */
const SORTS: Readonly<Record<string, string>> = {
  claimWebhookEvent: 'what is due of several kinds of events',
  findLastAuditEntry: 'what was done to one thing',
  claimOutboxEntries: 'what is due of several kinds of e-mails',
  listCaseObjects: 'what is in one case',
  listCasesByDue: 'a page of each state',
  listFailedOutboxIds: 'the e-mails that failed',
  listUserGrants: 'what one person has allowed',
};

for (const engine of await listEngines(withReverseCleanup({ after })))
  suite(`queries on ${engine.name}`, () => {
    test('every exported query function is looked at', async () => {
      const functions = await loadQueryFunctions();
      assert.ok(functions.size > 100, `only ${functions.size} were found`);
      const gone = Object.keys({ ...sampleArguments, ...SCANS }).filter((name) => !functions.has(name));
      assert.deepEqual(gone, [], 'these are no query functions of the store any more');
    });

    test('none looks at every row of a table that grows', async (t) => {
      const database = await engine.createDatabase(t);
      const recorder = await openRecorder(t, database);
      if (engine.name === 'postgres') await fillAndAnalyze(recorder.records);
      const listFaults = engine.name === 'sqlite' ? listScans : listLongReads;
      const faults: string[] = [];
      for (const [name, call] of await loadQueryFunctions()) {
        for (const values of listSamples(name, call)) {
          const queries = await recorder.record(() => call(recorder.records, ...values));
          assert.ok(queries.length > 0, `${name} asked nothing: give it arguments in query-functions.ts`);
          for (const query of queries) {
            const found = await listFaults(recorder.records, query);
            const faulty = found.filter((fault) => !(name in (fault.includes(SORT) ? SORTS : SCANS)));
            faults.push(...faulty.map((fault) => `${name}: ${fault}: ${query.sql}`));
          }
        }
      }
      assert.deepEqual(faults, []);
    });
  });

test('every view of the queue has an index in the order of its list, which also counts it', async (t) => {
  const recorder = await openRecorder(t, await sqliteUnderTest.createDatabase(t));
  const states = ['received'] as const;
  const page = { limit: 50, after: { at: 1, id: 'x' } };
  const views: [CaseChoice, string, string][] = [
    [{ states }, 'cases_by_state', 'state=?'],
    [{ states, assignee: 'x' }, 'cases_by_assignee', 'assignee=? AND state=?'],
    [{ states, assignee: 'x', tier: 'Trace' }, 'cases_by_assignee', 'assignee=? AND state=?'],
    [{ states, assignee: null }, 'cases_by_state', 'state=?'],
    [{ states, awaitingReply: true }, 'cases_waiting', 'state=?'],
    [{ states, awaitingReply: true, tier: 'Trace' }, 'cases_waiting', 'state=?'],
    [{ states, purgeAsked: true }, 'cases_waiting', 'state=?'],
    [{ states, tier: 'Trace' }, 'cases_by_state', 'state=?'],
    [{ states, withOnHold: true }, 'cases_waiting', 'state=?'],
    [{ states: [], withOnHold: true, assignee: 'x', awaitingReply: true }, 'cases_waiting', 'state=?'],
  ];
  for (const [choice, index, found] of views) {
    const [list] = await recorder.record(() => listCasesByDue(recorder.records, choice, page, 1));
    const plan = await explainOnSqlite(recorder.records, list?.sql ?? '');
    assert.ok(
      plan.includes(`SEARCH cases USING INDEX ${index} (${found} AND (due_at,id)>(?,?))`),
      plan.join(),
    );
    const [count] = await recorder.record(() => countChosenCases(recorder.records, choice, 1));
    const counting = (await explainOnSqlite(recorder.records, count?.sql ?? '')).join('\n');
    if (Object.keys(choice).length === 1) assert.match(counting, /SEARCH cases USING COVERING INDEX/);
  }
});

test('pieces are counted, measured and listed by an index, without reading a byte of them', async (t) => {
  const recorder = await openRecorder(t, await sqliteUnderTest.createDatabase(t));
  const explain = async (read: () => Promise<unknown>) => {
    const queries = await recorder.record(read);
    const plans = await Array.fromAsync(queries, ({ sql: text }) => explainOnSqlite(recorder.records, text));
    return plans.flat().filter((line) => /^(SEARCH|SCAN (?!CONSTANT))/.test(line));
  };
  for (const line of await explain(() => countStagedPieces(recorder.records, 'x')))
    assert.match(line, /^SEARCH \S+ USING COVERING INDEX (objects_by_uploader|object_pieces_by_object) /);
  for (const read of [
    () => computeObjectSize(recorder.records, 'x'),
    () => deleteCaseObjects(recorder.records, { id: 'x', uploaders: ['x', 'y'] }, 10),
  ])
    assert.match(
      (await explain(read)).join('\n'),
      /SEARCH (?:object_pieces USING COVERING INDEX|objects USING INTEGER PRIMARY KEY)/,
    );
});

interface QueryRecorder {
  readonly records: Kysely<Tables>;
  /** Returns the queries of the work, even if it fails. */
  readonly record: (work: () => unknown) => Promise<CompiledQuery[]>;
}

async function openRecorder(t: test.TestContext, database: TestDatabase): Promise<QueryRecorder> {
  // Brings the schema up to date.
  await openTestStore(t, database);
  const engine = await openDatabaseEngine({ config: readConfig(database.env), log: silentLog });
  let queries: CompiledQuery[] = [];
  const records = new Kysely<Tables>({
    dialect: engine.dialect,
    log: ({ query }) => void queries.push(query),
  });
  const { adapter } = records.getExecutor();
  // Prepared queries go past Kysely, and so past its log.
  if (adapter instanceof SharedFileAdapter)
    Object.assign(adapter, { run: (query: CompiledQuery) => records.executeQuery(query) });
  withReverseCleanup(t).after(() => records.destroy());
  const record = async (work: () => unknown) => {
    queries = [];
    try {
      const result = await work();
      if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result)
        await Array.fromAsync(result as AsyncIterable<unknown>);
    } catch {
      // Ignores the failure, because the sample arguments refer to nothing that exists.
    }
    const asked = queries;
    queries = [];
    return asked;
  };
  return { records, record };
}

async function fillAndAnalyze(records: Kysely<Tables>): Promise<void> {
  // Fills the store before the queried time, because reading cases that changed later would be correct.
  await fillStore(records, ROWS, { now: NOW });
  await sql`analyze`.execute(records);
}

/** Uses no statistics, like the service, so that the plan does not depend on the content. */
async function listScans(records: Kysely<Tables>, query: CompiledQuery): Promise<string[]> {
  const plan = await explainOnSqlite(records, query.sql);
  return plan.filter((detail) => {
    const [, name] = /^SCAN (\w+)/.exec(detail) ?? [];
    return detail === SORT || (name !== undefined && !SMALL.has(name) && !WAITING.test(detail));
  });
}

async function explainOnSqlite(records: Kysely<Tables>, text: string): Promise<string[]> {
  const { rows } = await executeText<{ detail: string }>(records, `explain query plan ${text}`, []);
  return rows.map(({ detail }) => detail);
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Plan Rows': number;
  readonly Plans?: readonly PlanNode[];
}

/** Runs the query on a table with many rows that do not match, and counts how many it still reads. */
async function listLongReads(records: Kysely<Tables>, query: CompiledQuery): Promise<string[]> {
  const plan =
    (await explainQuery(records, query, 'analyze, ').catch(() => null)) ??
    // Only explains the query if it fails, because the sample arguments refer to nothing that exists.
    (await explainQuery(records, query, ''));
  return listNodes(plan).flatMap((node) => {
    const loops = node['Actual Loops'] ?? 1;
    const read = ((node['Actual Rows'] ?? node['Plan Rows']) + (node['Rows Removed by Filter'] ?? 0)) * loops;
    return node['Relation Name'] !== undefined && node['Node Type'].includes('Scan') && read > MAX_READ_ROWS
      ? [`${node['Node Type']} of ${node['Relation Name']} read ${read} rows`]
      : [];
  });
}

async function explainQuery(records: Kysely<Tables>, query: CompiledQuery, how: string): Promise<PlanNode> {
  const work = records.transaction().execute(async (transaction): Promise<PlanNode> => {
    const { rows } = await executeText<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      transaction,
      `explain (${how}format json) ${query.sql}`,
      query.parameters,
    );
    throw new RollBack(rows[0]!['QUERY PLAN'][0].Plan);
  });
  return await work.catch((error: unknown) => {
    if (error instanceof RollBack) return error.plan;
    throw error;
  });
}

class RollBack extends Error {
  readonly plan: PlanNode;

  constructor(plan: PlanNode) {
    super('rolled back');
    this.plan = plan;
  }
}

function listNodes(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(listNodes)];
}

async function executeText<Row>(records: Kysely<Tables>, text: string, parameters: readonly unknown[]) {
  return await records.executeQuery<Row>({ ...sql<Row>`select 1`.compile(records), sql: text, parameters });
}
