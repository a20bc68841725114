/** The service on PostgreSQL: waiting for the server, refusing it, sharing it. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { startPostgres } from '#test/postgres-server.ts';
import { startOffice, startServiceProcess, waitForProgramOutput } from '#test/service-process.ts';

const server = await startPostgres(withReverseCleanup({ after }));
const MASTER_KEY = generateMasterKey();

test('two instances share one database and one key; readiness follows it down and up, and health stays 200', async (t) => {
  const DATABASE_URL = await server.createDatabase('shared');
  const instances = await Promise.all([
    startServiceProcess(t, { DATABASE_URL, MASTER_KEY }),
    startServiceProcess(t, { DATABASE_URL, MASTER_KEY }),
  ]);
  for (const { get, readOutput } of instances) {
    assert.equal((await get('/api/ready')).status, 200);
    assert.match(readOutput(), /Database +postgres, 127\.0\.0\.1:\d+\/shared/);
  }
  const [{ get }] = instances;
  await server.stop();
  const down = await get('/api/ready');
  assert.deepEqual([down.status, down.json['code']], [503, 'not_ready']);
  assert.equal((await get('/api/health')).status, 200);
  await server.start();
  await waitUntil('it is ready again', async () => (await get('/api/ready')).status === 200);
});

test('the service waits for a database server that is not up yet', async (t) => {
  const DATABASE_URL = await server.createDatabase('late');
  await server.stop();
  const program = await startWithDatabase(t, DATABASE_URL);
  await waitForProgramOutput(program, 'database_waiting');
  await server.start();
  await waitForProgramOutput(program, 'is ready.');
  assert.match(program.readOutput(), /"event":"database_waiting","attempt":1,"error_code":"ECONNREFUSED"/);
});

test('an unknown database is refused at once, in one line without the password', async (t) => {
  const url = server.toDatabaseUrl('nowhere').replace('postgres@', 'postgres:canary@');
  const program = await startWithDatabase(t, url);
  assert.equal(await program.ended, 69);
  assert.match(
    program.readOutput(),
    /^Cannot start: PostgreSQL at 127\.0\.0\.1:\d+\/nowhere has no database of that name$/m,
  );
  assert.ok(!program.readOutput().includes('canary'));
});

test('an unreachable server ends the start after thirty seconds, in one line', async (t) => {
  const [unused = 0] = await findFreePorts(1);
  const program = await startWithDatabase(t, `postgres://user:canary@127.0.0.1:${unused}/office`);
  await waitForProgramOutput(program, 'database_waiting');
  const start = performance.now();
  assert.equal(await program.ended, 69);
  assert.ok(performance.now() - start > 20_000, 'it has waited');
  assert.match(program.readOutput(), /^Cannot start: PostgreSQL at \S+ cannot be reached \(ECONNREFUSED\)$/m);
  assert.ok(!program.readOutput().includes('canary'));
});

test('a server that may lose acknowledged writes is refused', async (t) => {
  const url = `${await server.createDatabase('forgetful')}?options=-c%20synchronous_commit%3Doff`;
  const program = await startWithDatabase(t, url);
  assert.equal(await program.ended, 78);
  assert.match(program.readOutput(), /^Cannot start: PostgreSQL has synchronous_commit = off/m);
});

async function startWithDatabase(t: test.TestContext, DATABASE_URL: string) {
  const [port = 0] = await findFreePorts(1);
  const folder = await createDataFolder(t);
  const env = {
    PORT: String(port),
    HTTP_PORT: 'off',
    DATA_DIR: folder,
    ...(await readRecipientSettings(folder)),
    DATABASE_URL,
    MASTER_KEY,
  };
  return startOffice(t, ['serve'], env);
}
