/** Unlocking the desk: what happens to a lock that comes meanwhile, and what a failed attempt leaves open. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { listPaths } from './hostile-script.ts';
import { startScriptedOffice } from './scripted-office.ts';
import { createUnlocker } from './test-unlocker.ts';

async function start(t: TestContext) {
  const office = await startScriptedOffice(t);
  return { office, ...(await createUnlocker(office)) };
}

test('a lock that comes while the desk is being unlocked counts', async (t) => {
  const { office, lock, unlocker } = await start(t);
  office.script = ({ path }) => {
    if (path === '/sessions') lock.lock('signal');
    return null;
  };
  assert.match((await unlocker.unlock('')) ?? '', /told to lock meanwhile/);
  assert.ok(lock.state, 'it stays locked');
  assert.equal(listPaths(office).at(-1), 'DELETE /sessions');
  office.script = () => null;
  assert.equal(await unlocker.unlock(''), null);
  assert.equal(lock.state, null);
  lock.lock('button');
  await lock.settle();
});

test('an attempt that the office refuses leaves no connection open', { timeout: 20_000 }, async (t) => {
  const { office, unlocker } = await start(t);
  const closed = Promise.withResolvers<void>();
  office.script = (request) => {
    if (request.path !== '/sessions') return null;
    return {
      raw: (response) => {
        response.socket?.once('close', () => closed.resolve());
        response.writeHead(403, { 'content-type': 'application/problem+json' }).end('{"code":"forbidden"}');
      },
    };
  };
  assert.ok(await unlocker.unlock(''));
  await closed.promise;
});
