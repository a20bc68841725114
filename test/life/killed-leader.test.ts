/** The leading instance is killed: another takes over, nothing acknowledged is lost, and everything happens once. */
import test, { after } from 'node:test';
import { openPostgresEngine, openTestStore } from '#test/store/engines.ts';
import { assertOnceEach } from './instances.ts';

test('an instance that leads is killed, and another one goes on with its sweeps', async (t) => {
  const place = await (await openPostgresEngine({ after })).createDatabase(t);
  await assertOnceEach(t, { env: place.env, count: 2, store: await openTestStore(t, place) });
});
