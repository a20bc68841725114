/** The service on PostgreSQL: waiting for the server, refusing it, sharing it. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { production } from '#test/config-mistakes.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { startPostgres } from '#test/postgres-server.ts';
import { startOffice, startServiceProcess, waitForProgramOutput } from '#test/service-process.ts';
import { openTestStore } from '#test/store/engines.ts';
import { assertStartRefused } from './refused-start.ts';

const server = await startPostgres(withReverseCleanup({ after }));
const MASTER_KEY = generateMasterKey();

test('a service waits for a server that is not up yet, and two share one database and key; readiness follows it down and up', async (t) => {
  const DATABASE_URL = await server.createDatabase('shared');
  await server.stop();
  const [port = 0] = await findFreePorts(1);
  const folder = await createDataFolder(t);
  const keys = await readRecipientSettings(folder);
  const place = { PORT: String(port), HTTP_PORT: 'off', DATA_DIR: folder };
  const program = startOffice(t, ['serve'], { ...place, ...keys, DATABASE_URL, MASTER_KEY });
  await waitForProgramOutput(program, '"event":"database_waiting","attempt":1,"error_code":"ECONNREFUSED"');
  await server.start();
  await waitForProgramOutput(program, 'is ready.');
  const first = { ...program, get: await createHttpsClient(`https://localhost:${port}`, folder) };
  const second = await startServiceProcess(t, { DATABASE_URL, MASTER_KEY });
  for (const { get, readOutput } of [first, second]) {
    assert.equal((await get('/api/ready')).status, 200);
    assert.match(readOutput(), /Database +postgres, 127\.0\.0\.1:\d+\/shared/);
  }
  await server.stop();
  const down = await first.get('/api/ready');
  assert.deepEqual([down.status, down.json['code']], [503, 'not_ready']);
  assert.equal((await first.get('/api/health')).status, 200);
  await server.start();
  await waitUntil('it is ready again', async () => (await first.get('/api/ready')).status === 200);
});

test('in production an empty database beside old records or shred keys is refused, and stays empty', async (t) => {
  const folder = await createTemporaryFolder(t);
  const filled = await openTestStore(t, { env: { DATA_DIR: folder } });
  await seedCase(filled);
  await filled.close();
  const DATABASE_URL = await server.createDatabase('beside');
  const env = { ...production, DATABASE_URL, MASTER_KEY, DATA_DIR: folder };
  const refusal = 'DATABASE_URL names an empty database, while there are';
  for (const [name, left] of [
    ['inquiry-office.db', 'records'],
    ['shred.keys', 'shred keys'],
  ] as const) {
    const reason = `${refusal} ${left} in ${join(folder, name)}: `;
    const logged = await assertStartRefused(t, env, 78, reason);
    assert.doesNotMatch(logged, /schema_created/);
    assert.ok((await runCli(env, ['doctor'])).stdout.includes(`Error: ${reason}`));
    await rm(join(folder, name));
  }
  const store = await openTestStore(t, { env });
  assert.equal(store.engine.name, 'postgres', 'a first start');
});

test('an unknown database is refused at once, in one line without the password', async (t) => {
  const url = server.toDatabaseUrl('nowhere').replace('postgres@', 'postgres:canary@');
  const reason =
    /^PostgreSQL at 127\.0\.0\.1:\d+\/nowhere has no database of that name: create it, or correct DATABASE_URL$/;
  assert.ok(!(await assertDatabaseRefused(t, url, 69, reason)).includes('canary'));
});

test('an unreachable server ends the start after thirty seconds, in one line', async (t) => {
  const [unused = 0] = await findFreePorts(1);
  const url = `postgres://user:canary@127.0.0.1:${unused}/office`;
  const start = performance.now();
  const logged = await assertDatabaseRefused(
    t,
    url,
    69,
    /^PostgreSQL at \S+ cannot be reached \(ECONNREFUSED\): start it, or correct DATABASE_URL$/,
  );
  assert.ok(performance.now() - start > 20_000, 'it has waited');
  assert.match(logged, /database_waiting/);
  assert.ok(!logged.includes('canary'));
});

test('a server that may lose acknowledged writes is refused', async (t) => {
  const url = `${await server.createDatabase('forgetful')}?options=-c%20synchronous_commit%3Doff`;
  await assertDatabaseRefused(t, url, 78, /^PostgreSQL has synchronous_commit = off/);
});

async function assertDatabaseRefused(
  t: test.TestContext,
  DATABASE_URL: string,
  exitCode: number,
  reason: RegExp,
): Promise<string> {
  const keys = await readRecipientSettings(await createDataFolder(t));
  return await assertStartRefused(t, { ...keys, DATABASE_URL, MASTER_KEY }, exitCode, reason);
}
