/** What a lock ends at the office: no request, message or sign-in follows, however slow the office is. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeskWork } from '#desk/model/desk-work.ts';
import { answerAt, assertFault, listPaths, SESSIONS } from './hostile-script.ts';
import { type ScriptedOffice, startScriptedOffice } from './scripted-office.ts';

const FAREWELL = /^DELETE \/sessions$/;
const LOCKED = /The desk is locked/;

/** Answers a path only once the test releases it. */
function holdBack(office: ScriptedOffice, path: RegExp) {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<null>();
  office.script = (request) => {
    if (!path.test(`${request.method} ${request.path}`)) return null;
    asked.resolve();
    return released.promise;
  };
  return { asked: asked.promise, release: () => released.resolve(null) };
}

test('a desk that is locked during a delivery neither signs in again nor delivers', async (t) => {
  const office = await startScriptedOffice(t);
  const { id } = office.fixture.facts;
  const desk = await office.connect();
  const work = new DeskWork({ office: desk, outFolder: null, templatesFolder: null });
  const { opened } = await work.openCase(id);
  const { asked, release } = holdBack(office, /^PUT .*\/uploads\/[\w-]+\/0$/);
  const bytes = Buffer.alloc(600_000, 7);
  const file = { name: 'report.pdf', size: bytes.length, content: () => ReadableStream.from([bytes]) };
  const delivery = desk.deliver(id, { markdown: 'It is her.', files: [file], seen: opened.seen });
  const refused = assertFault(delivery, 'unreachable', LOCKED);
  await asked;
  await work.forget();
  const before = listPaths(office).length;
  release();
  await refused;
  await assertFault(desk.signIn(), 'unreachable', LOCKED);
  await assertFault(desk.readCase(id), 'unreachable', LOCKED);
  assert.deepEqual(listPaths(office).slice(before), []);
  assert.equal(listPaths(office).filter((path) => FAREWELL.test(path)).length, 1);
});

test('an office that never answers the sign-out does not keep the desk open', {
  timeout: 120_000,
}, async (t) => {
  const office = await startScriptedOffice(t);
  const desk = await office.connect();
  await desk.readCase(office.fixture.facts.id);
  office.script = answerAt(FAREWELL, () => new Promise(() => {}));
  const leaving = desk.signOut();
  assert.equal(desk.session, null);
  await assertFault(desk.readQueue(), 'unreachable', LOCKED);
  await leaving;
});

test('an answer that comes after the lock is not used, and a session that opens then is ended', async (t) => {
  const office = await startScriptedOffice(t);
  const { id } = office.fixture.facts;
  const reading = await office.connect();
  await reading.signIn();
  const slowCase = holdBack(office, /^GET \/cases\//);
  const late = assertFault(reading.readCase(id), 'unreachable', LOCKED);
  await slowCase.asked;
  const leaving = reading.signOut();
  slowCase.release();
  await late;
  await leaving;

  const entering = await office.connect();
  const slowSession = holdBack(office, SESSIONS);
  const refused = assertFault(entering.signIn(), 'unreachable', LOCKED);
  await slowSession.asked;
  const before = listPaths(office).length;
  const gone = entering.signOut();
  slowSession.release();
  await refused;
  await gone;
  assert.equal(entering.session, null);
  assert.deepEqual(listPaths(office).slice(before), ['DELETE /sessions']);
});
