/** Unlocking the desk: what happens to a lock that arrives meanwhile, and what a failed attempt leaves open. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { armor, Encrypter } from 'age-encryption';
import { VERSION } from '#platform/config/version.ts';
import { answerAt, listPaths, SESSIONS } from './hostile-script.ts';
import { createSession, startScriptedOffice } from './scripted-office.ts';
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
  assert.match((await unlocker.unlock('')) ?? '', /locked in the meantime/);
  assert.ok(lock.state, 'it stays locked');
  assert.equal(listPaths(office).at(-1), 'DELETE /sessions');
  office.script = () => null;
  assert.equal(await unlocker.unlock(''), null);
  assert.equal(lock.state, null);
  lock.lock('button');
  await lock.settle();
});

test('an office of another version is named with what is needed, also if its session is of another form', async (t) => {
  const { office, lock, unlocker } = await start(t);
  assert.equal(unlocker.versions, `Desk ${VERSION}.`);
  for (const [version, advice] of [
    [VERSION, ''],
    ['0.9.10', '; a newer office is needed'],
    ['1000.10.0', '; a newer desk is needed'],
  ] as const) {
    const session = { ...createSession(office), office: { version, test: true } };
    office.script = answerAt(SESSIONS, () => ({ json: session }));
    assert.equal(await unlocker.unlock(''), null);
    assert.equal(unlocker.versions, `Desk ${VERSION}, office ${version}${advice}.`);
    lock.lock('button');
    await lock.settle();
  }
  const newer = { ...createSession(office), office: { version: '1000.10.0', test: true, more: 1 } };
  office.script = answerAt(SESSIONS, () => ({ json: newer }));
  assert.match(
    (await unlocker.unlock('')) ?? '',
    /format that .* expects \(desk \S+, office 1000\.10\.0; a newer desk is needed\)/,
  );
});

test('an attempt that the office refuses leaves no connection open', { timeout: 120_000 }, async (t) => {
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

test('wrong passphrases in the browser are slowed down, at the terminal they are not', async (t) => {
  const office = await startScriptedOffice(t);
  const encrypter = new Encrypter();
  encrypter.setPassphrase('small beacon, green anvil');
  encrypter.setScryptWorkFactor(10);
  const keyText = armor.encode(await encrypter.encrypt(`${office.key.identity}\n`));
  const clock = { now: 0 };
  const { lock, unlocker } = await createUnlocker(office, { keyText, readSteadyClock: () => clock.now });
  const tryWrong = async () => await unlocker.unlockInBrowser('wrong');
  for (let count = 0; count < 3; count += 1) assert.match((await tryWrong()) ?? '', /does not open the key/);
  for (const seconds of [2, 4, 8, 16, 32, 60, 60]) {
    assert.match((await tryWrong()) ?? '', new RegExp(`Try again in ${seconds} seconds`));
    clock.now += seconds * 1000 - 1;
    assert.match((await tryWrong()) ?? '', /Try again in 1 second\./);
    clock.now += 1;
    assert.match((await tryWrong()) ?? '', /does not open the key/);
  }
  assert.match((await unlocker.unlockInBrowser('small beacon, green anvil')) ?? '', /Try again in 60/);
  assert.match((await unlocker.unlock('wrong')) ?? '', /does not open the key/);
  clock.now += 60_000;
  assert.equal(await unlocker.unlockInBrowser('small beacon, green anvil'), null);
  lock.lock('button');
  await lock.settle();
  assert.match((await tryWrong()) ?? '', /does not open the key/, 'the count begins again');
});
