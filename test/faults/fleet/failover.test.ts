/** The leader of a PostgreSQL cluster is killed under a load of purchases, and the other server takes over. */
import test from 'node:test';
import { NO_PROGRAM } from '#test/test-counts.ts';
import { startOfficeFleet } from './office-fleet.ts';
import { isClusterInstalled, startPostgresCluster } from './postgres-cluster.ts';
import { assertNothingLostOrDoubled, startPurchaseLoad } from './purchase-load.ts';

const FAILOVERS = 2;

test('a leader killed under load: the other server has all that was acknowledged, and takes over', {
  skip: isClusterInstalled ? false : NO_PROGRAM,
}, async (t) => {
  const cluster = await startPostgresCluster(t);
  await cluster.waitForPair();
  const fleet = await startOfficeFleet(t, cluster.url);
  const load = startPurchaseLoad(fleet);
  for (let failover = 0; failover < FAILOVERS; failover += 1) {
    await load.waitForMore(6);
    const startAgain = await cluster.killLeader();
    await load.waitForMore(6);
    await startAgain();
    await cluster.waitForPair();
  }
  t.diagnostic(await assertNothingLostOrDoubled(fleet, await load.stop()));
});
