/** One copy of the records does not reveal which client acts for a person who signed in with the words of a case. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { withReverseCleanup } from '#test/cleanup.ts';
import { copyRecords, type RecordsCopy } from '#test/payments/join-attack.ts';
import { listEngines } from '#test/store/engines.ts';
import { startOAuthTestApp } from './oauth-test-app.ts';
import { createWordsUser } from './words-user.ts';

/** Shorter values are states, tiers and counts: equal ones mean nothing. */
const SHORTEST_CLUE = 10;

const cleanUp = withReverseCleanup({ after });

for (const engine of await listEngines(cleanUp))
  test(`people who signed in with words share no value with their cases, on ${engine.name}`, async (t) => {
    const { env } = await engine.createDatabase(cleanUp);
    const app = await startOAuthTestApp(t, { env });
    const client = await app.createClient();
    const people = await Array.fromAsync({ length: 3 }, () => createWordsUser(app, client));
    for (const { caseId, tokens } of people) {
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const { status, text } = await app.get('/api/cases', { headers });
      assert.ok(status === 200 && text.includes(caseId), text);
    }
    const copy = await copyRecords(app.store, []);
    assert.deepEqual([copy.get('users')?.length, copy.get('cases')?.length], [3, 3]);
    const consents = ['users', 'tokens', 'clients'];
    assert.deepEqual(findSharedColumns(copy, consents, ['cases', 'objects', 'orders']), []);
  });

/** Pairs of columns of which one has a value that the other has or contains. */
function findSharedColumns(copy: RecordsCopy, left: readonly string[], right: readonly string[]): string[] {
  const others = collectColumns(copy, right);
  return collectColumns(copy, left).flatMap((one) =>
    others
      .filter((other) =>
        one.values.some((value) => other.values.some((its) => value.includes(its) || its.includes(value))),
      )
      .map((other) => `${one.name} = ${other.name}`),
  );
}

interface StoredColumn {
  readonly name: string;
  readonly values: readonly string[];
}

function collectColumns(copy: RecordsCopy, tables: readonly string[]): StoredColumn[] {
  const cells = tables.flatMap((table) =>
    (copy.get(table) ?? []).flatMap((row) =>
      Object.entries(row).map(([column, value]) => ({ name: `${table}.${column}`, text: formatClue(value) })),
    ),
  );
  return [...Map.groupBy(cells, ({ name }) => name)].map(([name, found]) => ({
    name,
    values: found.map(({ text }) => text).filter(({ length }) => length >= SHORTEST_CLUE),
  }));
}

/** Bytes as they are, so that a text in them is found. */
function formatClue(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
