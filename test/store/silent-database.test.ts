/** A database whose connections stay open but do not respond makes a few requests fail, not the instance. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import test, { after, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { openPostgres } from '#store/engine/postgres.ts';
import type { Tables } from '#store/schema/tables.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { openPostgresEngine, silentLog } from './engines.ts';

const postgres = await openPostgresEngine(withReverseCleanup({ after }));
const SILENCE_MS = 1_000;
const CONNECTIONS = 10;

interface Link {
  readonly front: Socket;
  readonly back: Socket;
}

/** Forwards every connection to the server; `beSilent` stops those that are open, but not new ones. */
async function openProxy(t: TestContext, { hostname, port }: { hostname: string; port: string }) {
  const links: Link[] = [];
  const server = createServer((front) => {
    const back = connect(Number(port || 5432), hostname);
    links.push({ front, back });
    front.pipe(back).pipe(front);
    for (const socket of [front, back]) socket.on('error', () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    for (const { front, back } of links) {
      front.destroy();
      back.destroy();
    }
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    countLinks: () => links.length,
    beSilent: () => {
      for (const { front, back } of links) {
        front.unpipe(back);
        back.unpipe(front);
        front.resume();
        back.resume();
      }
    },
  };
}

async function openDatabase(t: TestContext, settings: Record<string, string> = {}) {
  const { env } = await postgres.createDatabase(t);
  const url = new URL(env['DATABASE_URL'] ?? '');
  for (const [name, value] of Object.entries(settings)) url.searchParams.set(name, value);
  const proxy = await openProxy(t, url);
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  const engine = await openPostgres({ url: url.href, log: silentLog, limitMs: SILENCE_MS });
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  t.after(() => db.destroy());
  /** Returns how many of the concurrent queries succeeded. */
  const query = async (times: number) => {
    const queries = Array.from({ length: times }, () => sql`select pg_sleep(0.1)`.execute(db));
    const results = await Promise.allSettled(queries);
    for (const result of results)
      if (result.status === 'rejected') assert.ok(engine.isUnavailable(result.reason), String(result.reason));
    return results.filter(({ status }) => status === 'fulfilled').length;
  };
  return { db, proxy, query };
}

test('connections that fall silent are given up, those at work and those at rest', async (t) => {
  const { proxy, query } = await openDatabase(t);
  assert.equal(await query(12), 12);
  assert.equal(proxy.countLinks(), CONNECTIONS);
  proxy.beSilent();
  assert.ok((await query(1)) === 0, 'the first one waits in vain');
  assert.equal(await query(12), 12, 'all others get new connections');
  proxy.beSilent();
  // More queries than connections: those that wait for a connection time out, or get a new one.
  assert.ok((await query(12)) <= 2);
  assert.equal(await query(12), 12);
});

test('work that has lifted the limit of the server may take its time, and is watched again afterwards', async (t) => {
  const { db, proxy, query } = await openDatabase(t);
  await db.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = 0`.execute(transaction);
    await sql`select pg_sleep(${(2 * SILENCE_MS) / 1_000})`.execute(transaction);
  });
  assert.equal(proxy.countLinks(), 1);
  proxy.beSilent();
  assert.equal(await query(1), 0);
  assert.equal(await query(1), 1);
});

test('a statement that takes too long is ended at the server, and its connection goes on', async (t) => {
  const { db, proxy, query } = await openDatabase(t);
  await assert.rejects(sql`select pg_sleep(60)`.execute(db), { code: '57014' });
  assert.equal(await query(1), 1);
  assert.equal(proxy.countLinks(), 2, 'one for all statements, one to cancel');
});

test('a transaction in which nothing is asked for too long is ended, as when its instance is gone', async (t) => {
  const { db } = await openDatabase(t);
  const idle = db.transaction().execute(async (transaction) => {
    await sql`create table held (id int)`.execute(transaction);
    await sleep(2 * SILENCE_MS);
    await sql`select 1`.execute(transaction);
  });
  await assert.rejects(idle);
  await sql`create table held (id int)`.execute(db);
});

test('the address of the database may say how many connections an instance has', async (t) => {
  const { proxy, query } = await openDatabase(t, { connection_limit: '3' });
  assert.equal(await query(12), 12);
  assert.equal(proxy.countLinks(), 3);
  for (const limit of ['2', '101', '3.5', 'many'])
    await assert.rejects(openDatabase(t, { connection_limit: limit }), /connection_limit takes a number/);
});
