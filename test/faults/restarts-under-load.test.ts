/** Restarts under load: of PostgreSQL below the service, and of the service itself. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { Client } from 'pg';
import { toDatabasePath } from '#store/engine/sqlite.ts';
import { generateMasterKey } from '#store/keys/keyring.ts';
import { postRegistration, sampleRegistration } from '#test/agents/sample-registration.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { startPostgres } from '#test/postgres-server.ts';
import { startServiceProcess, waitForProgramOutput } from '#test/service-process.ts';

const SENDERS = 4;
const PAUSE_MS = 25;
/** Far below the cap of waiting registrations. */
const MOST = 400;

test('PostgreSQL restarted under load: 503 meanwhile, then well again, and nothing answered is lost', async (t) => {
  const server = await startPostgres(t);
  const DATABASE_URL = await server.createDatabase('busy');
  const [metricsPort = 0] = await findFreePorts(1);
  const service = await startServiceProcess(t, {
    DATABASE_URL,
    MASTER_KEY: generateMasterKey(),
    RATE_LIMIT: 'off',
    METRICS_PORT: String(metricsPort),
  });
  const stored: string[] = [];
  const statuses = new Set<number>();
  const stop = new AbortController();
  const senders = Array.from({ length: SENDERS }, async () => {
    while (!stop.signal.aborted && stored.length < MOST) {
      const { status, json } = await postRegistration(service.get, sampleRegistration);
      statuses.add(status);
      if (status === 202) stored.push(String(json['registration_id']));
      await sleep(PAUSE_MS);
    }
  });
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await waitUntilLonger(stored, 10);
    await server.stop(signal);
    await sleep(200);
    assert.equal((await service.get('/api/health')).status, 200);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    assert.match(metrics, /^office_requests_total/m, 'told without the database too');
    await server.start();
    await waitUntilLonger(stored, 10);
  }
  stop.abort();
  await Promise.all(senders);
  assert.deepEqual(
    [...statuses].filter((status) => status !== 202 && status !== 503),
    [],
  );
  const client = new Client(DATABASE_URL);
  await client.connect();
  const { rows } = await client.query<{ id: string }>('select id from registrations');
  await client.end();
  const ids = new Set(rows.map(({ id }) => id));
  assert.deepEqual(
    stored.filter((id) => !ids.has(id)),
    [],
  );
});

test('a stop under load answers every request that has begun, and stores what it answered', async (t) => {
  const service = await startServiceProcess(t, { RATE_LIMIT: 'off' });
  const begun = await Promise.all(Array.from({ length: 20 }, () => beginRegistration(service.port)));
  service.process.kill('SIGTERM');
  await waitForProgramOutput(service, '"event":"stopping"');
  await sleep(200);
  const answers = await Promise.all(begun.map((finish) => finish()));
  assert.equal(await service.ended, 0);
  // A machine that is too busy refuses some requests, which is an answer too.
  const isShed = (answer: string) => /^HTTP\/1\.1 503 [\s\S]*retry-after: /im.test(answer);
  const accepted = answers.filter((answer) => !isShed(answer));
  assert.ok(accepted.length > 0);
  const ids = accepted.map((answer) => {
    assert.match(answer, /^HTTP\/1\.1 202 [\s\S]*connection: close/im);
    return /"registration_id":"([\w-]+)"/.exec(answer)?.[1] ?? '';
  });
  const database = new DatabaseSync(toDatabasePath(service.dataDir), { readOnly: true });
  t.after(() => database.close());
  const rows = database.prepare('select id from registrations').all();
  assert.deepEqual(rows.map(({ id }) => String(id)).toSorted(), ids.toSorted());
});

/** Sends half of a request that the service has begun to read; returns what sends the rest and awaits the answer. */
async function beginRegistration(port: number): Promise<() => Promise<string>> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  const body = JSON.stringify(sampleRegistration);
  const head = `POST /auth.md HTTP/1.1\r\nhost: localhost:${port}\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const closed = once(socket, 'close');
  // RFC 9110 §10.1.1: 100 (Continue) means that the service has received the headers.
  socket.write(head);
  await waitUntil('the request is heard', () => received.includes('100 Continue\r\n\r\n'));
  socket.write(body.slice(0, 20));
  return async () => {
    socket.write(body.slice(20));
    await closed;
    return received;
  };
}

async function waitUntilLonger(list: readonly unknown[], by: number): Promise<void> {
  const wanted = list.length + by;
  await waitUntil('more is stored', () => list.length >= wanted);
}
