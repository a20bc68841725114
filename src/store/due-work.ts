/** What has come due, asked for all sweeps by one statement and for all queues by another; and rows that then simply go. */
import { type Expression, sql } from 'kysely';
import { DAY_MS } from '#platform/durations.ts';
import { UNPAID_ORDER_DAYS } from '#platform/expiry.ts';
import { cutToDay } from '#platform/text/day.ts';
import { DISCARDED_AT, UPLOAD_LIFETIME_MS } from './cases/object-deletion.ts';
import { computeOldestKeyDay } from './clients/idempotent-request.ts';
import { createDueEventQuery, type DueEvents } from './clients/webhook-events.ts';
import { deleteSelected } from './engine/delete-selected.ts';
import { createDueEntryQuery, DEAD_DAYS } from './outbox.ts';
import { OPEN_PAYMENT_STATES, UNPAID_STATES } from './schema/column-values.ts';
import type { Records, Tables } from './schema/tables.ts';

/** The provider resends an event for three days, and on request for thirty. */
const LEDGER_DAYS = 30;

interface DueTimes {
  readonly now: number;
  /** Asked for with settled orders. */
  readonly ordersKeepDays?: number;
}

interface DueRows {
  readonly table: keyof Tables;
  /** Has the time of a row. */
  readonly column: string;
  /** Up to this time they are due; that of the look unless it is said. */
  readonly until?: (now: number, ordersKeepDays: number) => number;
  /** A further condition, spelled as in the partial index, which SQLite would not use otherwise. */
  readonly only?: string;
}

/** Some are changed or checked rather than deleted, and a look may find more than their sweep does. */
const dueRows = {
  'orders to check': { table: 'orders', column: 'check_at' },
  'return links': { table: 'orders', column: 'return_link_at' },
  'unpaid orders': {
    table: 'orders',
    column: 'created_at',
    until: (now) => cutToDay(now) - UNPAID_ORDER_DAYS * DAY_MS - 1,
    only: `payment in ('${UNPAID_STATES.join("', '")}')`,
  },
  'settled orders': {
    table: 'orders',
    column: 'created_at',
    until: (now, ordersKeepDays) => cutToDay(now) - ordersKeepDays * DAY_MS - 1,
    only: `(redeemed = 1 or payment not in ('${OPEN_PAYMENT_STATES.join("', '")}'))`,
  },
  uploads: {
    table: 'objects',
    column: 'kept_at',
    until: (now) => now - UPLOAD_LIFETIME_MS - 1,
    only: 'case_id is null',
  },
  discarded: { table: 'objects', column: 'kept_at', until: () => DISCARDED_AT, only: 'case_id is null' },
  cases: { table: 'cases', column: 'purge_at' },
  'contact messages': { table: 'contact_messages', column: 'purge_at' },
  tombstones: { table: 'tombstones', column: 'forget_at' },
  registrations: { table: 'registrations', column: 'forget_at', until: (now) => now - 1 },
} as const satisfies Readonly<Record<string, DueRows>>;

interface ExpiredRows extends DueRows {
  readonly key: string;
}

/** They are deleted, and nothing else is done about them. */
const expiredRows = {
  'idempotency keys': {
    table: 'idempotency',
    key: 'key_tag',
    column: 'created_at',
    until: (now) => computeOldestKeyDay(now) - 1,
  },
  'draft keys': { table: 'draft_keys', key: 'form_tag', column: 'created_at', until: (now) => now - DAY_MS },
  // Of one that was given up, the time is a day.
  'dead entries': {
    table: 'outbox',
    key: 'id',
    column: 'waits_since',
    until: (now) => cutToDay(now) - DEAD_DAYS * DAY_MS - 1,
    only: 'dead = 1',
  },
  'webhook events': { table: 'webhook_events', key: 'id', column: 'ends_at' },
  'provider events': {
    table: 'provider_events',
    key: 'id',
    column: 'seen_at',
    until: (now) => cutToDay(now) - LEDGER_DAYS * DAY_MS - 1,
  },
  tokens: { table: 'tokens', key: 'id', column: 'expires_at', until: (now) => now - 1 },
  // They count towards the daily limit per address.
  'sign-in codes': {
    table: 'sign_in_codes',
    key: 'id',
    column: 'created_at',
    until: (now) => now - DAY_MS - 1,
  },
  'desk challenges': { table: 'desk_challenges', key: 'id', column: 'expires_at' },
  'desk sessions': { table: 'desk_sessions', key: 'id', column: 'expires_at' },
  // Those whose last e-mail could not be sent in its time.
  addresses: { table: 'notices', key: 'id', column: 'ends_at' },
  // Those that no one has made in all their time.
  refunds: { table: 'refunds', key: 'id', column: 'purge_at' },
} as const satisfies Readonly<Record<string, ExpiredRows>>;

export type ExpiredName = keyof typeof expiredRows;
export type DueName = keyof typeof dueRows | ExpiredName;

export const EXPIRED_NAMES = Object.keys(expiredRows) as ExpiredName[];
/** The others. */
export const DUE_NAMES = Object.keys(dueRows) as Exclude<DueName, ExpiredName>[];

export async function findDueRows<Name extends DueName>(
  records: Records,
  names: readonly Name[],
  times: DueTimes,
): Promise<ReadonlySet<Name>> {
  const all: Readonly<Record<DueName, DueRows>> = { ...dueRows, ...expiredRows };
  const looks = names.map((name) => [name, sql`(${selectDueRows('1', all[name], times)})`] as const);
  return await findExisting(records, looks);
}

/** Returns the number of deleted rows. */
export async function deleteExpiredRows(
  records: Records,
  name: ExpiredName,
  now: number,
  limit: number,
): Promise<number> {
  const rows: ExpiredRows = expiredRows[name];
  const due = sql`${selectDueRows(rows.key, rows, { now })} limit ${limit}`;
  return await deleteSelected(records, rows.table, rows.key as never, due);
}

function selectDueRows(selected: string, { table, column, until, only }: DueRows, times: DueTimes) {
  const condition = sql.raw(only === undefined ? '' : ` and ${only}`);
  return sql`select ${sql.raw(selected)} from ${sql.table(table)}
    where ${sql.ref(column)} <= ${until ? until(times.now, times.ordersKeepDays ?? 0) : times.now}${condition}`;
}

type QueueName = 'outbox' | 'notices' | 'case events' | 'webhook events';

interface DueQueues extends DueEvents {
  readonly topics: readonly string[];
  /** Of the e-mails to buyers; null at other times than theirs. */
  readonly noticeTopic: string | null;
}

/** Without a lock, because there is usually nothing. */
export async function findDueQueues(
  records: Records,
  { topics, noticeTopic, ...due }: DueQueues,
): Promise<ReadonlySet<QueueName>> {
  const { now } = due;
  const cases = records.selectFrom('case_webhooks').select('case_id').where('due_at', '<=', now);
  const looks: [QueueName, Expression<unknown>][] = [
    ['outbox', createDueEntryQuery(records, topics, now)],
    ['webhook events', createDueEventQuery(records, due)],
    ['case events', cases],
  ];
  if (noticeTopic !== null) {
    looks.push(['notices', records.selectFrom('notices').select('id').where('due_at', '<=', now)]);
    looks.push(['notices', createDueEntryQuery(records, [noticeTopic], now)]);
  }
  return await findExisting(records, looks);
}

/** The names of the queries that find something. */
async function findExisting<Name extends string>(
  records: Records,
  looks: readonly (readonly [Name, Expression<unknown>])[],
): Promise<ReadonlySet<Name>> {
  const columns = looks.map(([, query], index) => sql`exists ${query} as ${sql.ref(`look${index}`)}`);
  const { rows } = await sql<Record<string, unknown>>`select ${sql.join(columns)}`.execute(records);
  return new Set(looks.flatMap(([name], index) => (rows[0]?.[`look${index}`] ? name : [])));
}
