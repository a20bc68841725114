/** Text typed before a lock and posted after it is sealed and offered again, or shown to be copied, but never lost. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type CaseDraft, toDraftFolder } from '#desk/keys/draft-file.ts';
import type { DeskAnswer, DeskRequest } from '#desk/loopback/page-route.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { readUnsentForm } from '#desk/model/unsent-form.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { html } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import { createPageVisitor, readPage } from './asked-pages.ts';
import { startLoopbackDesk } from './loopback-desk.ts';
import { startScriptedOffice } from './scripted-office.ts';
import { createUnlocker } from './test-unlocker.ts';

const ID = 'pDtv2eGUQgcgaaaaaaaaaa';
const TYPED = 'Which name does she use? <script>CANARYTYPED</script>';

function createForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

async function startDesk(t: TestContext, options: Parameters<typeof startLoopbackDesk>[1] = {}) {
  const kept: CaseDraft[] = [];
  const keepForm = async (form: CaseDraft) => {
    kept.push(form);
    return null;
  };
  const desk = await startLoopbackDesk(t, { keepForm, ...options });
  return { desk, kept, ...desk.enter() };
}

test('forms of a case that are posted to a locked desk are kept by what was typed in them', async (t) => {
  const { desk, kept, cookie, formToken } = await startDesk(t);
  desk.lock.lock('idle');
  const forms: readonly (readonly [path: string, field: string, typedAs: string])[] = [
    ['messages', 'text', 'reply'],
    ['decline', 'text', 'decline'],
    ['keep', 'text', 'keep'],
    ['notes', 'note', 'note'],
    ['finding', 'markdown', 'markdown'],
  ];
  for (const [path, field, typedAs] of forms) {
    const answer = await desk.post(`/cases/${ID}/${path}`, cookie, { token: formToken, [field]: TYPED });
    assert.match(answer, /location: \/unlock\?text=kept\r/);
    assert.deepEqual(kept.pop(), { caseId: ID, fields: { [typedAs]: TYPED } });
  }
  const page = await desk.visit('/unlock?text=kept', cookie);
  assert.match(page, /The text that you had just written is stored, sealed to your key/);
  for (const [path, fields] of [
    [`/cases/${ID}/messages`, { text: ' \n' }],
    [`/cases/${ID}/acts`, { act: 'take', text: TYPED }],
    ['/cases/..%2f..%2fetc/messages', { text: TYPED }],
    ['/search', { q: TYPED }],
  ] as const)
    assert.match(await desk.post(path, cookie, { token: formToken, ...fields }), /location: \/unlock\r/);
  assert.deepEqual(kept, []);
});

test('a text that cannot be kept is given back to be copied, and so is one from before the lock', async (t) => {
  const { desk, cookie, formToken } = await startDesk(t, {
    keepForm: async () => 'cannot write desk.key.drafts: no space left',
  });
  const path = `/cases/${ID}/messages`;
  const assertGivenBack = (answer: string, status: number, why: RegExp) => {
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(answer, why);
    assert.match(answer, /&lt;script&gt;CANARYTYPED&lt;\/script&gt;<\/textarea>/);
    assert.doesNotMatch(answer, /<script>CANARY/);
  };
  const stale = await desk.post(path, cookie, { token: 'a token of yesterday', text: TYPED });
  assertGivenBack(stale, 403, /loaded before the desk was locked, so nothing was sent/);
  assert.match(
    await desk.post(path, cookie, { token: 'another', text: '' }),
    /^HTTP\/1\.1 403 .*\r\n(?:.*\r\n)*\r\n$/,
  );
  desk.lock.lock('idle');
  const full = await desk.post(path, cookie, { token: formToken, text: TYPED });
  assertGivenBack(full, 503, /could not be kept: cannot write .*no space left/);
  const unknown = await desk.post(path, `${cookie}x`, { token: formToken, text: TYPED });
  assert.match(unknown, /^HTTP\/1\.1 403 /);
  assert.doesNotMatch(unknown, /CANARYTYPED/);
});

test('a lock that comes while a message is being sent keeps the message', async (t) => {
  const answer = async ({ signal }: DeskRequest): Promise<never> => {
    desk.lock.lock('signal');
    assert.ok(signal.aborted);
    throw new OfficeFault('unreachable', 'The desk is locked.');
  };
  const { desk, kept, cookie, formToken } = await startDesk(t, {
    routes: [{ method: 'POST', path: '/cases/:id/messages', answer }],
  });
  const said = await desk.post(`/cases/${ID}/messages`, cookie, { token: formToken, text: TYPED });
  assert.match(said, /location: \/unlock\?text=kept\r/);
  assert.deepEqual(kept, [{ caseId: ID, fields: { reply: TYPED } }]);
  assert.deepEqual(desk.errors, []);
});

test('a lock that comes while a draft is refused keeps the draft, but not one that was saved', async (t) => {
  const answers = [{ said: 'not saved: The disk was full.', status: 409 }, { said: 'saved 19:11' }];
  const answer = (): DeskAnswer => {
    desk.lock.lock('signal');
    return answers.shift()!;
  };
  const { desk, kept, cookie, formToken } = await startDesk(t, {
    routes: [{ method: 'POST', path: '/cases/:id/drafts', answer }],
  });
  const save = async () => await desk.post(`/cases/${ID}/drafts`, cookie, { token: formToken, note: TYPED });
  assert.match(await save(), /location: \/unlock\?text=kept\r/);
  assert.deepEqual(kept, [{ caseId: ID, fields: { note: TYPED } }]);
  desk.lock.hold(desk.unlocked);
  assert.match(await save(), /location: \/unlock\r/);
  assert.equal(kept.length, 1);
});

test('while the office is away, trying again leads to the page that one is on', async (t) => {
  const page = { page: { title: 'Desk', nav: 'queue', main: html`<main></main>` } } as const;
  const { desk, cookie, formToken } = await startDesk(t, {
    facts: { isReached: false },
    routes: [
      { method: 'GET', path: '/cases/:id', answer: () => page },
      { method: 'POST', path: '/cases/:id/messages', answer: () => page },
    ],
  });
  const shown = await desk.visit(`/cases/${ID}?a=b`, cookie);
  assert.match(shown, new RegExp(`href="/cases/${ID}\\?a=b">Try now`));
  const refused = await desk.post(`/cases/${ID}/messages`, cookie, { token: formToken, text: TYPED });
  assert.match(refused, new RegExp(`href="/cases/${ID}">Try now`));
  assert.match(refused, new RegExp(`href="/cases/${ID}" aria-keyshortcuts="\\."`));
});

test('what was kept is sealed on disk, stands in its field after unlocking, and goes once it is sent', async (t) => {
  const office = await startScriptedOffice(t);
  const { id } = office.fixture.facts;
  const { lock, unlocker } = await createUnlocker(office);
  t.after(() => lock.lock('button'));
  const unsent = readUnsentForm(`/cases/${id}/messages`, createForm({ text: 'Since when? CANARYREPLY' }))!;
  assert.match((await unlocker.keepForm(unsent)) ?? '', /not been unlocked since it started/);
  assert.equal(await unlocker.unlock(''), null);
  const saved = { act: 'save', markdown: 'It is her. CANARYOLD', page: 'first-page', base: '' };
  await createPageVisitor(lock.takeDesk()!.desk)('POST', `/cases/${id}/finding`, saved);
  lock.lock('idle');
  await lock.settle();

  const finding = createForm({ markdown: 'It is her. CANARYNEW', page: 'first-page', base: '' });
  const forms = [unsent, readUnsentForm(`/cases/${id}/finding`, finding)!, unsent];
  for (const form of forms) assert.equal(await unlocker.keepForm(form), null);
  const folder = toDraftFolder(office.key);
  assert.equal((await readdir(folder)).length, 4);
  for (const name of await readdir(folder))
    assert.ok(!(await readFile(join(folder, name), 'latin1')).includes('CANARY'), name);

  assert.equal(await unlocker.unlock(''), null);
  const desk: DeskWork = lock.takeDesk()!.desk;
  const ask = createPageVisitor(desk);
  const queue = readPage(await ask('GET', '/people')).html;
  assert.match(queue, new RegExp(`Your text was kept\\.</b> What you wrote in ${nameCase(id)} when`));
  assert.match(readPage(await ask('GET', `/cases/${id}`)).html, /\nSince when\? CANARYREPLY<\/textarea>/);
  const write = readPage(await ask('GET', `/cases/${id}/finding`)).html;
  assert.match(write, /\nIt is her\. CANARYNEW<\/textarea>/);
  assert.match(write, /CANARYOLD/, 'a stranger at the locked desk has replaced nothing');
  assert.deepEqual((await readdir(folder)).length, 1);
  assert.ok(!(await readdir(folder)).join().includes(id));
  const message = { act: 'message', text: 'Since when? CANARYREPLY', seen_buyer: '0', seen_desk: '0' };
  await ask('POST', `/cases/${id}/messages`, message);
  assert.doesNotMatch(readPage(await ask('GET', `/cases/${id}`)).html, /CANARYREPLY<\/textarea>/);
  assert.equal((await desk.office.drafts.read(id))?.['markdown'], 'It is her. CANARYNEW');
  assert.equal(dirname(folder), dirname(office.key.path));
});

test('a stranger at the window of a locked desk cannot fill the disk with texts', async (t) => {
  const office = await startScriptedOffice(t);
  const { lock, unlocker } = await createUnlocker(office);
  assert.equal(await unlocker.unlock(''), null);
  lock.lock('button');
  await lock.settle();
  const form = { caseId: ID, fields: { note: 'x' } };
  for (let count = 0; count < 50; count += 1) assert.equal(await unlocker.keepForm(form), null);
  assert.match((await unlocker.keepForm(form)) ?? '', /50 unsent texts are already stored/);
  const long = { caseId: ID, fields: { note: 'x'.repeat(300_000) } };
  assert.ok(await unlocker.keepForm(long));
});
