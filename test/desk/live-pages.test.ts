/** What the desk's pages say about a service with many cases and about news: counts, what is new, and what is read. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test, { type TestContext } from 'node:test';
import { MINUTE_MS } from '#platform/durations.ts';
import { type Case, insertCase } from '#store/cases/cases.ts';
import { createCaseRow } from '#test/cases/seeded-case.ts';
import { insertPlantedCase, PLANTED_INQUIRY } from '#test/desk-api/planted-case.ts';
import { waitUntil } from '#test/patience.ts';
import { nameCase } from '#wire/case-name.ts';
import { readPage, readRedirect } from './asked-pages.ts';
import { startServedPages } from './connected-desk.ts';

const OPEN = { state: 'received', delivered_at: null, purge_at: null } as const;

/** Its cases are in lists only: they contain nothing to open. */
async function startFullDesk(t: TestContext, count: number, others: readonly Partial<Case>[] = []) {
  const pages = await startServedPages(t);
  const ids = Array.from(
    { length: count },
    (_, index) => `${'ABCDEFGH'[index % 8]}ase${String(index).padStart(18, '0')}`,
  );
  const listed = ids.map((id, index) => ({ id, due_at: Date.now() + (index + 1) * MINUTE_MS }));
  await pages.service.store.transaction(async (records) => {
    for (const facts of [...listed, ...others]) {
      const lookup_hash = randomBytes(32).toString('base64url');
      await insertCase(records, createCaseRow({ ...OPEN, lookup_hash, ...facts }));
    }
  });
  return { ...pages, ids };
}

/** The first ones are assigned to Sam. */
async function startDesk(t: TestContext, count: number, own = 0) {
  const pages = await startServedPages(t);
  const cases = [];
  for (let index = 0; index < count; index += 1) {
    const facts = {
      due_at: Date.now() + (index + 1) * MINUTE_MS,
      assignee: index < own ? pages.office.holder : null,
    };
    cases.push(await insertPlantedCase(pages.service, facts));
  }
  return { ...pages, cases, ids: cases.map(({ id }) => id) };
}

test('an answer in a case beyond the first two hundred is counted, and shown as new', async (t) => {
  const { office, ids, ask, show } = await startFullDesk(t, 450);
  const readQueue = office.readQueue.bind(office);
  office.readQueue = async (query) => {
    const { cases, ...queue } = await readQueue(query);
    return {
      ...queue,
      cases: cases.map((each) => ({ ...each, news: each.id === ids[449] ? 'answer' : null })),
    };
  };
  const { html, title } = readPage(await ask('GET', '/queue?view=new'));
  assert.equal(title, 'Desk: 1 new, 0 late');
  assert.deepEqual(html.match(/id="case-[^"]*"/g), [`id="case-${ids[449]}"`]);
  const open = await show('/queue');
  assert.equal(open.match(/class="row[ "]/g)?.length, 200);
  assert.match(open, /Next 12 hours <span class="count">200\+</, 'the rest is on the next page');
});

test('beyond the number that the office counts to, the desk says that there are more', async (t) => {
  const { ask } = await startFullDesk(t, 1_001);
  const { html, title } = readPage(await ask('GET', '/queue'));
  assert.equal(title, 'Desk: 1000+ new, 0 late');
  assert.match(html, /Open <span class="count">1000\+</);
});

test('pages that are open are told of a new case and a new answer, until the list has shown them', async (t) => {
  const { service, answer, desk, cases, ids, ask } = await startDesk(t, 3);
  await ask('GET', `/cases/${ids[0]}`);
  await ask('GET', '/queue');
  const countNews = (shown: number) => desk.describeNews().numbers.filter((number) => number > shown).length;
  const { newsShown } = desk.describeFrame();
  assert.ok(desk.watch.listNewsNumbers().every((number) => number <= newsShown));
  await answer(cases[0]!, 'It was my neighbour.');
  await insertPlantedCase(service);
  await insertPlantedCase(service, { state: 'declined' });
  await waitUntil('the office was asked', () => countNews(newsShown) === 2);
  await ask('GET', '/numbers');
  assert.equal(countNews(desk.describeFrame().newsShown), 2, 'a page without the list');
  await ask('GET', '/queue');
  assert.equal(countNews(desk.describeFrame().newsShown), 0);
  assert.equal(countNews(newsShown), 2, 'a page that was opened before');
  await ask('GET', `/cases/${ids[0]}`);
  assert.equal(countNews(newsShown), 1, 'what was read is no news');
});

test('after an act the next case is shown closed: no one has read it until it is opened', async (t) => {
  const { office, service, ids, ask } = await startDesk(t, 1);
  const inquiry = { ...PLANTED_INQUIRY, question: 'Who is the neighbour?' };
  const [[first = ''], { id: second }] = [ids, await insertPlantedCase(service, {}, inquiry)];
  const readNews = async () => (await office.readQueue()).cases.find(({ id }) => id === second)?.news;
  await ask('GET', `/cases/${first}`);
  const fields = { act: 'ask', text: 'Which name do they use?', seen_buyer: '0' };
  const path = readRedirect(await ask('POST', `/cases/${first}/messages`, fields));
  const { html, title } = readPage(await ask('GET', path));
  assert.equal(await readNews(), 'case');
  assert.match(html, new RegExp(`href="/cases/${second}" aria-keyshortcuts="n">Open ${nameCase(second)}`));
  assert.doesNotMatch(`${html}${title}`, /neighbour/);
  await ask('GET', `/cases/${second}`);
  assert.equal(await readNews(), null);
  await service.store.records.updateTable('cases').set({ state: 'withdrawn' }).execute();
  assert.equal(readRedirect(await ask('GET', path)), '/queue', 'a colleague has ended it meanwhile');
});

test('a case with a new answer opens at what is new, from the list, from the next one and after an act', async (t) => {
  const { answer, cases, ids, ask, show } = await startDesk(t, 2);
  const [first = '', second = ''] = ids;
  for (const id of ids) await ask('GET', `/cases/${id}`);
  await answer(cases[0]!, 'It was my neighbour.');
  const link = `href="/cases/${first}#new"`;
  const queue = await show('/queue');
  assert.equal(queue.split(link).length - 1, 4, 'the row, what is due first, what happened');
  const other = await show(`/cases/${second}`);
  assert.equal(other.split(link).length - 1, 2, 'the row and the next one');
  assert.match(await show(`/cases/${first}`), /<li class="since" id="new">/);
  assert.equal(
    readRedirect(await ask('POST', `/cases/${first}/acts`, { act: 'take' })),
    `/cases/${first}#new`,
  );
});

test('the search finds every case by its name or the beginning of its id, and says nothing of it to the office', async (t) => {
  const ended = { id: 'endedcase0000000000000', state: 'declined' } as const;
  const { office, ids, ask } = await startFullDesk(t, 450, [ended]);
  const search = async (q: string) => readPage(await ask('POST', '/search', { q })).html;
  const asked: unknown[] = [];
  const readQueue = office.readQueue.bind(office);
  office.readQueue = (query) => {
    asked.push(query);
    return readQueue(query);
  };
  for (const [wanted, id] of [
    [nameCase('endedcase0000000000000'), 'endedcase0000000000000'],
    [nameCase('endedcase0000000000000').toUpperCase().replace(' ', '-'), 'endedcase0000000000000'],
    [ids[449]!.slice(0, 22), ids[449]!],
    [ids[440]!.toLowerCase(), ids[440]!],
  ] as const)
    assert.match(await search(wanted), new RegExp(`href="/cases/${id}"`), wanted);
  assert.doesNotMatch(await search('neighbour'), /href="\/cases/);
  const all = await search(nameCase(ids[0]!));
  assert.match(all, /57 found/);
  assert.doesNotMatch(JSON.stringify(asked), /begins|neighbour|endedcase/);
});

test('after an unlock all of one’s own cases are opened at once: searched, but no answer counts as read', async (t) => {
  const { office, answer, desk, cases, ids, ask, show } = await startDesk(t, 4, 3);
  const [first = '', second = '', third = ''] = ids;
  for (const id of [first, second]) await office.readCase(id);
  await answer(cases[1]!, 'It was my neighbour.');
  const before = await show('/queue');
  assert.match(before, /Open your 2 cases/);
  assert.match(before, /not opened since you unlocked the desk/);
  assert.equal(readRedirect(await ask('POST', '/cases/open')), '/queue');
  const html = await show('/queue');
  assert.match(html, /2 of your cases are open\./);
  assert.doesNotMatch(html, /Open your|not opened since/);
  assert.match(html, /New answer/);
  assert.equal(desk.opened.get(third), undefined, 'what was never read stays closed');
  assert.match(readPage(await ask('POST', '/search', { q: 'neighbour' })).html, new RegExp(nameCase(second)));
  assert.match(await show(`/cases/${second}`), /<li class="since" id="new">/);
  await desk.forget();
  assert.equal(desk.opened.gists.size, 0);
});
