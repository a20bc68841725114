/** The lists in the code and the CHECK constraints of the real schema agree on every engine. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { sql } from 'kysely';
import {
  ALERT_STAGES,
  CLIENT_STATUSES,
  CREDENTIAL_SETS,
  DIGEST_ACTS,
  EVENT_KINDS,
  IDENTITY_TYPES,
  PAYMENT_STATES,
  REGISTRATION_STATUSES,
  WEBHOOK_STATES,
} from '#store/schema/column-values.ts';
import type { Records } from '#store/schema/tables.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { CALL_STATES, CASE_STATES, SEALED_BY } from '#wire/case-states.ts';
import { openPostgresEngine, openTestStore, sqliteUnderTest } from './engines.ts';

type ColumnValues = Record<string, readonly string[]>;

const listed: ColumnValues = {
  'webhook_events.kind': EVENT_KINDS,
  'webhooks.state': WEBHOOK_STATES,
  'case_alerts.stage': ALERT_STAGES,
  'cases.call': CALL_STATES,
  'cases.sealed_by': SEALED_BY,
  'cases.state': CASE_STATES,
  'clients.credentials': CREDENTIAL_SETS,
  'clients.status': CLIENT_STATUSES,
  'contact_messages.sealed_by': SEALED_BY,
  'digest_lines.act': DIGEST_ACTS,
  'orders.payment': PAYMENT_STATES,
  'registrations.credentials': CREDENTIAL_SETS,
  'registrations.identity_type': IDENTITY_TYPES,
  'registrations.status': REGISTRATION_STATUSES,
};

const cleanUp = withReverseCleanup({ after });
const readers = { sqlite: readSqliteChecks, postgres: readPostgresChecks };

for (const engine of [sqliteUnderTest, await openPostgresEngine(cleanUp)])
  test(`every column with a fixed set of values has the values of its list on ${engine.name}`, async (t) => {
    const { records } = await openTestStore(t, await engine.createDatabase(cleanUp));
    assert.deepEqual(await readers[engine.name](records), listed);
  });

async function readSqliteChecks(records: Records): Promise<ColumnValues> {
  const { rows } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_master where type = 'table'`.execute(records);
  return Object.fromEntries(
    rows.flatMap(({ name, sql: statement }) =>
      [...statement.matchAll(/check \((\w+) in\s*\(('[^)]*)\)\)/g)].map(([, column, values]) => [
        `${name}.${column}`,
        parseQuoted(values),
      ]),
    ),
  );
}

async function readPostgresChecks(records: Records): Promise<ColumnValues> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select conrelid::regclass::text as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'c'`.execute(records);
  return Object.fromEntries(
    rows.flatMap(({ name, definition }) =>
      [...definition.matchAll(/^CHECK \(\((\w+) = ANY \(ARRAY\[('.*)\]\)\)\)$/g)].map(
        ([, column, values]) => [`${name}.${column}`, parseQuoted(values)],
      ),
    ),
  );
}

function parseQuoted(values = ''): string[] {
  return [...values.matchAll(/'([^']*)'/g)].map(([, value = '']) => value);
}
