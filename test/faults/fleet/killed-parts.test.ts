/** Three instances under load, while they and their database are killed: nothing acknowledged is lost or doubled. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { PATIENCE_MS } from '#test/patience.ts';
import { startPostgres } from '#test/postgres-server.ts';
import { startOfficeFleet } from './office-fleet.ts';
import { assertNothingLostOrDoubled, startPurchaseLoad } from './purchase-load.ts';

const STOPS = 4;
const KILLS = 9;
/** Long enough for several requests of every buyer. */
const DOWN_MS = 2_000;
/** As long as a step of a purchase, so that every step is hit. */
const STEP_MS = 300;
/** Longer than a statement may take, and longer than the service waits for an answer. */
const UNCONFIRMED_MS = 40_000;

test('PostgreSQL stopped at once and started again: who was answered has what they were told, and others are told when to come again', async (t) => {
  const server = await startPostgres(t);
  const fleet = await startOfficeFleet(t, await server.createDatabase('stopped'));
  const load = startPurchaseLoad(fleet);
  for (let stop = 0; stop < STOPS; stop += 1) {
    await load.waitForMore(4);
    await sleep(Math.random() * STEP_MS);
    await server.stop('SIGQUIT');
    await sleep(DOWN_MS);
    await server.start();
  }
  await load.waitForMore(4);
  t.diagnostic(await assertNothingLostOrDoubled(fleet, await load.stop()));
});

test('instances killed one after the other while people buy, pay, land and submit: every purchase comes to its end once', async (t) => {
  const server = await startPostgres(t);
  const fleet = await startOfficeFleet(t, await server.createDatabase('killed'));
  const load = startPurchaseLoad(fleet);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await load.waitForMore(1);
    await sleep(Math.random() * STEP_MS);
    const startAgain = await fleet.kill(kill % 3);
    await load.waitForMore(1);
    await startAgain();
  }
  t.diagnostic(await assertNothingLostOrDoubled(fleet, await load.stop()));
});

test('a commit that no standby confirms is not acknowledged, however long it takes; confirmed late, it is not done twice', async (t) => {
  const server = await startPostgres(t);
  const fleet = await startOfficeFleet(t, await server.createDatabase('unconfirmed'));
  const load = startPurchaseLoad(fleet);
  await load.waitForMore(4);
  await configureServer(fleet.databaseUrl, "alter system set synchronous_standby_names = 'gone'");
  const deadline = Date.now() + PATIENCE_MS;
  let before: number;
  do {
    // Purchases that need no further commit may still be completed.
    before = load.journal.purchases.length;
    await sleep(UNCONFIRMED_MS);
  } while (load.journal.purchases.length !== before && Date.now() < deadline);
  assert.equal(load.journal.purchases.length, before);
  await configureServer(fleet.databaseUrl, 'alter system reset synchronous_standby_names');
  await load.waitForMore(4);
  t.diagnostic(await assertNothingLostOrDoubled(fleet, await load.stop()));
});

async function configureServer(url: string, statement: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(statement);
  await client.query('select pg_reload_conf()');
  await client.end();
}
