/** What the desk's pages say of an office with many cases and of news: counts, what is new, and what is read. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeskWork } from '#desk/model/desk-work.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { waitUntil } from '#test/patience.ts';
import { nameCase } from '#wire/case-name.ts';
import { createPageVisitor, readPage, readRedirect } from './asked-pages.ts';
import { createMadeUpOffice, OWN_HOLDER } from './made-up-office.ts';

function createDesk(count: number) {
  const office = createMadeUpOffice();
  const desk = new DeskWork({ office, outFolder: null, templatesFolder: null });
  const ids = Array.from(
    { length: count },
    (_, index) => `${'ABCDEFGH'[index % 8]}ase${String(index).padStart(18, '0')}`,
  );
  for (const [index, id] of ids.entries())
    office.addCase(id, { due_at: new Date(Date.now() + (index + 1) * MINUTE_MS).toISOString() });
  return { office, desk, ids, ask: createPageVisitor(desk) };
}

test('an answer in a case beyond the first two hundred is counted, and shown as new', async () => {
  const { office, ids, ask } = createDesk(450);
  for (const made of office.cases.values()) made.news = null;
  office.writeAsBuyer(ids[449]!, { text: 'It was my neighbour.' });
  const { html, title } = readPage(await ask('GET', '/queue?view=new'));
  assert.equal(title, 'Desk: 1 new, 0 late');
  assert.deepEqual(html.match(/id="case-[^"]*"/g), [`id="case-${ids[449]}"`]);
  const open = readPage(await ask('GET', '/queue')).html;
  assert.equal(open.match(/class="row[ "]/g)?.length, 200);
  assert.match(open, /Next 12 hours <span class="count">200\+</, 'the rest is on the next page');
});

test('beyond the number that the office counts to, the desk says that there are more', async () => {
  const { ask } = createDesk(1_001);
  const { html, title } = readPage(await ask('GET', '/queue'));
  assert.equal(title, 'Desk: 1000+ new, 0 late');
  assert.match(html, /Open <span class="count">1000\+</);
});

test('pages that are open are told of a new case and a new answer, until the list has shown them', async () => {
  const { office, desk, ids, ask } = createDesk(3);
  await ask('GET', `/cases/${ids[0]}`);
  await ask('GET', '/queue');
  const countNews = (shown: number) => desk.describeNews().numbers.filter((number) => number > shown).length;
  const { newsShown } = desk.describeFrame();
  assert.ok(desk.watch.listNewsNumbers().every((number) => number <= newsShown));
  office.writeAsBuyer(ids[0]!, { text: 'It was my neighbour.' });
  office.addCase('brandnew00000000000000');
  office.addCase('endedbeforeitwasread00', { state: 'declined' });
  await waitUntil('the office was asked', () => countNews(newsShown) === 2);
  await ask('GET', '/numbers');
  assert.equal(countNews(desk.describeFrame().newsShown), 2, 'a page without the list');
  await ask('GET', '/queue');
  assert.equal(countNews(desk.describeFrame().newsShown), 0);
  assert.equal(countNews(newsShown), 2, 'a page that was opened before');
  await ask('GET', `/cases/${ids[0]}`);
  assert.equal(countNews(newsShown), 1, 'what was read is no news');
});

test('after an act the next case is shown closed: no one has read it until it is opened', async () => {
  const { office, ids, ask } = createDesk(2);
  const [first = '', second = ''] = ids;
  office.addCase(second, office.cases.get(second)!.facts, { question: 'Who is the neighbour?' });
  await ask('GET', `/cases/${first}`);
  const fields = { act: 'ask', text: 'Which name do they use?', seen_buyer: '0' };
  const path = readRedirect(await ask('POST', `/cases/${first}/messages`, fields));
  const { html, title } = readPage(await ask('GET', path));
  const { isOpened, news } = office.cases.get(second)!;
  assert.deepEqual([isOpened, news], [false, 'case']);
  assert.match(html, new RegExp(`href="/cases/${second}" aria-keyshortcuts="n">Open ${nameCase(second)}`));
  assert.doesNotMatch(`${html}${title}`, /neighbour/);
  await ask('GET', `/cases/${second}`);
  assert.ok(office.cases.get(second)?.isOpened);
  office.cases.delete(second);
  assert.equal(readRedirect(await ask('GET', path)), '/queue', 'a colleague has ended it meanwhile');
});

test('a case with a new answer opens at what is new, from the list, from the next one and after an act', async () => {
  const { office, ids, ask } = createDesk(2);
  const [first = '', second = ''] = ids;
  for (const id of ids) await ask('GET', `/cases/${id}`);
  office.writeAsBuyer(first, { text: 'It was my neighbour.' });
  const link = `href="/cases/${first}#new"`;
  const queue = readPage(await ask('GET', '/queue')).html;
  assert.equal(queue.split(link).length - 1, 4, 'the row, what is due first, what happened');
  const other = readPage(await ask('GET', `/cases/${second}`)).html;
  assert.equal(other.split(link).length - 1, 2, 'the row and the next one');
  assert.match(readPage(await ask('GET', `/cases/${first}`)).html, /<li class="since" id="new">/);
  assert.equal(
    readRedirect(await ask('POST', `/cases/${first}/acts`, { act: 'take' })),
    `/cases/${first}#new`,
  );
});

test('the search finds every case by its name or the beginning of its id, and says nothing of it to the office', async () => {
  const { office, ids, ask } = createDesk(450);
  office.addCase('endedcase0000000000000', { state: 'declined' });
  const search = async (q: string) => readPage(await ask('POST', '/search', { q })).html;
  const asked: unknown[] = [];
  const { readQueue } = office;
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

test('after an unlock all of one’s own cases are opened at once: searched, but no answer counts as read', async () => {
  const { office, desk, ids, ask } = createDesk(4);
  const [first = '', second = '', third = ''] = ids;
  for (const id of [first, second, third])
    office.cases.get(id)!.facts = { ...office.cases.get(id)!.facts, holder: OWN_HOLDER };
  for (const id of [first, second]) await office.readCase(id);
  office.writeAsBuyer(second, { text: 'It was my neighbour.' });
  const before = readPage(await ask('GET', '/queue')).html;
  assert.match(before, /Open your 2 cases/);
  assert.match(before, /closed since you unlocked the desk/);
  assert.equal(readRedirect(await ask('POST', '/cases/open')), '/queue');
  const { html } = readPage(await ask('GET', '/queue'));
  assert.match(html, /2 of your cases are open\./);
  assert.doesNotMatch(html, /Open your|closed since/);
  assert.match(html, /New answer/);
  assert.equal(office.cases.get(third)!.isOpened, false, 'what was never read stays closed');
  assert.match(readPage(await ask('POST', '/search', { q: 'neighbour' })).html, new RegExp(nameCase(second)));
  assert.match(readPage(await ask('GET', `/cases/${second}`)).html, /<li class="since" id="new">/);
  await desk.forget();
  assert.match(readPage(await ask('GET', '/queue')).html, /Open your 2 cases/);
});
