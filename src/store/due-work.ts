/** Finds what has come due, for all sweeps in one statement and for all queues in another, and deletes expired rows. */
import { type Expression, sql } from 'kysely';
import { DAY_MS } from '#platform/durations.ts';
import { UNPAID_ORDER_DAYS } from '#platform/expiry.ts';
import { cutToDay } from '#platform/text/day.ts';
import { type AuditedTable, deleteAuditedRows } from './audit-log.ts';
import { DISCARDED_AT, UPLOAD_LIFETIME_MS } from './cases/object-deletion.ts';
import { createDueEventQuery, type DueEvents } from './clients/webhooks.ts';
import { deleteSelected } from './engine/selected-rows.ts';
import { computeOldestKeyDay } from './idempotent-request.ts';
import { MAX_CHECK_AHEAD_MS } from './orders/orders.ts';
import { createDueEntryQuery, DEAD_DAYS } from './outbox.ts';
import { OPEN_PAYMENT_STATES, PAYMENT_STATES } from './schema/column-values.ts';
import type { Records, Tables } from './schema/tables.ts';

/** The provider resends an event for three days, and on request for thirty. */
const LEDGER_DAYS = 30;
/** For a client that did not register: how long it stays without a token or consent after a person last allowed it. */
const UNUSED_CLIENT_DAYS = 30;

interface DueTimes {
  readonly now: number;
  /** Needed only for settled orders. */
  readonly ordersKeepDays?: number;
}

/** Returns the time up to which rows are due. */
type Until = (times: DueTimes) => number;

const before =
  (ms: number): Until =>
  ({ now }) =>
    now - ms - 1;
/** For rows that have only the day. */
const beforeDay =
  (days: number): Until =>
  ({ now }) =>
    cutToDay(now) - days * DAY_MS - 1;

/** The time column, the time up to which rows are due, and a condition spelled as in the partial index of SQLite. */
type DueRows = readonly [table: keyof Tables, column: string, until?: Until, only?: string, by?: '<=' | '>'];

const listStates = (states: readonly string[]) => `('${states.join("', '")}')`;

/** Some rows are changed or checked rather than deleted, and a query here may find more of them than their sweep. */
const dueRows = {
  'orders to check': ['orders', 'check_at'],
  'orders put off': [
    'orders',
    'check_at',
    ({ now }) => now + MAX_CHECK_AHEAD_MS,
    'check_at is not null',
    '>',
  ],
  'return links': ['orders', 'return_link_at'],
  'settled orders': [
    'orders',
    'created_at',
    ({ now, ordersKeepDays = 0 }) => beforeDay(ordersKeepDays)({ now }),
    // Each state is named, because the index begins with the state.
    `payment in ${listStates(PAYMENT_STATES)} and (redeemed = 1 or payment not in ${listStates(OPEN_PAYMENT_STATES)})`,
  ],
  uploads: ['objects', 'kept_at', before(UPLOAD_LIFETIME_MS), 'case_id is null'],
  discarded: ['objects', 'kept_at', () => DISCARDED_AT, 'case_id is null'],
  cases: ['cases', 'purge_at'],
  'purges begun': ['cases', 'purge_at', () => Number.MAX_SAFE_INTEGER, 'purging = 1'],
  tombstones: ['tombstones', 'forget_at'],
} as const satisfies Readonly<Record<string, DueRows>>;

/** Rows that are only deleted. */
const expiredRows = {
  'idempotency keys': ['idempotency', 'created_at', ({ now }) => computeOldestKeyDay(now) - 1],
  'draft keys': ['draft_keys', 'created_at', ({ now }) => now - DAY_MS],
  'dead entries': ['outbox', 'waits_since', beforeDay(DEAD_DAYS), 'dead = 1'],
  'webhook events': ['webhook_events', 'ends_at'],
  'provider events': ['provider_events', 'seen_at', beforeDay(LEDGER_DAYS)],
  tokens: ['tokens', 'expires_at', before(0)],
  // They count towards the daily limit per address.
  'sign-in codes': ['sign_in_codes', 'created_at', before(DAY_MS)],
  'desk challenges': ['desk_challenges', 'expires_at'],
  'desk sessions': ['desk_sessions', 'expires_at'],
  // Those whose last e-mail could not be sent in time.
  addresses: ['notices', 'ends_at'],
  // Those that were not made in time.
  refunds: ['refunds', 'purge_at'],
  registrations: ['registrations', 'forget_at', before(0)],
  'unused clients': [
    'clients',
    'created_at',
    beforeDay(UNUSED_CLIENT_DAYS),
    "substr(id, 1, 6) = 'https:' and not exists (select 1 from tokens where client_id = clients.id)",
  ],
  'contact messages': ['contact_messages', 'purge_at'],
  // Orders that were never paid, as the provider has confirmed. A pending order may still be paid, so it stays while
  // the provider is unavailable. None is added meanwhile, because a checkout needs the provider, and at the cap the
  // provider closes the oldest.
  'unpaid orders': ['orders', 'created_at', beforeDay(UNPAID_ORDER_DAYS), "payment in ('failed', 'expired')"],
} as const satisfies Readonly<Record<string, DueRows>>;

const KEYS: Readonly<Record<string, string>> = { idempotency: 'key_tag', draft_keys: 'form_tag' };
/** Rows that the audit log may mention. */
const AUDITED: readonly string[] = ['contact_messages', 'orders', 'registrations'] satisfies AuditedTable[];

export type ExpiredName = keyof typeof expiredRows;
export type DueName = keyof typeof dueRows | ExpiredName;

export const EXPIRED_NAMES = Object.keys(expiredRows) as ExpiredName[];
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
  const [table] = expiredRows[name];
  const key = KEYS[table] ?? 'id';
  const due = sql<{ id: string }>`${selectDueRows(key, expiredRows[name], { now })} limit ${limit}`;
  if (AUDITED.includes(table))
    return await deleteAuditedRows(records, table as AuditedTable, {
      execute: async () => (await due.execute(records)).rows,
    });
  return await deleteSelected(records, table, key as never, due);
}

function selectDueRows(selected: string, [table, column, until, only, by = '<=']: DueRows, times: DueTimes) {
  const condition = sql.raw(only === undefined ? '' : ` and ${only}`);
  return sql`select ${sql.raw(selected)} from ${sql.table(table)}
    where ${sql.ref(column)} ${sql.raw(by)} ${until ? until(times) : times.now}${condition}`;
}

type QueueName = 'outbox' | 'notices' | 'case events' | 'webhook events';

interface DueQueues extends DueEvents {
  readonly topics: readonly string[];
  /** The topic of the e-mails to buyers; null at times when none are sent. */
  readonly noticeTopic: string | null;
}

/** Without a lock, because there is usually nothing due. */
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

/** Returns the names of the queries that find something. */
async function findExisting<Name extends string>(
  records: Records,
  looks: readonly (readonly [Name, Expression<unknown>])[],
): Promise<ReadonlySet<Name>> {
  const columns = looks.map(([, query], index) => sql`exists ${query} as ${sql.ref(`look${index}`)}`);
  const { rows } = await sql<Record<string, unknown>>`select ${sql.join(columns)}`.execute(records);
  return new Set(looks.flatMap(([name], index) => (rows[0]?.[`look${index}`] ? name : [])));
}
