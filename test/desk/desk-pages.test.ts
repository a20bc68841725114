/** The pages of the desk over a real service: what they show, what they send, and what they refuse to send. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { renderDeliveryPage } from '#desk/pages/finding/finding-handlers.ts';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { formatKeyFingerprint } from '#seal/core/case-key.ts';
import type { Case } from '#store/cases/cases.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { insertPlantedCase, PLANTED_INQUIRY } from '#test/desk-api/planted-case.ts';
import { html as writeHtml } from '#view/html.ts';
import { nameCase } from '#wire/case-name.ts';
import { assertFormTokens, openDeskPages, readDelivered, readPage, readRedirect } from './asked-pages.ts';
import { connectConfirmedDesk, startServedPages } from './connected-desk.ts';

const FIRST = 'pDtv2eGUQgcgaaaaaaaaaa';
const SECOND = 'Q1aaaaaaaaaaaaaaaaaaaa';
const WITHDRAWN = { state: 'withdrawn', purge_at: Date.now() + 30 * DAY_MS } as const;
const INQUIRY = {
  ...PLANTED_INQUIRY,
  payment_ref: 'cs_test_a1B2c3D4e5F6g7H8i9J0kLmN9xQ2',
  question: 'Is the recruiter who wrote to me really from the company they name?',
};

async function createDesk(t: TestContext, settings: { outFolder?: string; templatesFolder?: string } = {}) {
  const pages = await startServedPages(t, settings);
  const { office, service } = pages;
  const own = { id: FIRST, assignee: office.holder, state: 'in_progress' } as const;
  const first = await insertPlantedCase(service, { ...own, due_at: Date.now() + 3 * HOUR_MS }, INQUIRY);
  const second = await insertPlantedCase(service, { id: SECOND, due_at: Date.now() + 20 * HOUR_MS }, INQUIRY);
  const [, { holder: colleague }] = office.session!.people as [unknown, { holder: string }];
  const update = async (id: string, facts: Partial<Case>) =>
    await service.store.records.updateTable('cases').set(facts).where('id', '=', id).execute();
  const connectKim = async () => await connectConfirmedDesk(t, service, service.keys.Kim);
  return { ...pages, first, second, colleague, update, connectKim };
}

test('the queue shows when, which, who and what, and no question of a case that was not opened', async (t) => {
  const { ask, show } = await createDesk(t);
  const { html, title } = readPage(await ask('GET', '/queue'));
  assert.match(html, new RegExp(`Open ${nameCase(FIRST)}`));
  assert.match(html, /Next 12 hours/);
  assert.match(html, /in 3 hours/);
  assert.match(html, /New case/);
  assert.match(html, /not opened yet/);
  assert.doesNotMatch(html, /recruiter/);
  assert.equal(title, 'Desk: 2 new, 0 late');
  await ask('GET', `/cases/${FIRST}`);
  const again = await show('/queue');
  assert.match(again, /Is the recruiter who wrote to me/);
});

test('text of a buyer is escaped, and characters that are not seen are shown', async (t) => {
  const { show, service, answer } = await createDesk(t);
  const id = 'Hostile0000000000aaaaa';
  const hostile = await insertPlantedCase(
    service,
    { id },
    {
      ...INQUIRY,
      alias: '<img src=x onerror=alert(1)>',
      question: 'Who is \u202eexe.fdp\u202c and <script>alert(1)</script>, https://evil.example/?',
      background: 'zero\u200bwidth \u0007bell',
    },
  );
  await answer(hostile, '"><form action=//evil.example>\u2066');
  const html = await show(`/cases/${id}`);
  assert.doesNotMatch(html, /<script|<img|<form action=\/\/|[\u202a-\u202e\u2066-\u2069\u200b]/);
  assert.match(html, /⟨U\+202E⟩exe\.fdp/);
  assert.match(html, /zero⟨U\+200B⟩width ⟨U\+0007⟩bell/);
  assert.doesNotMatch(html, /href="https?:/);
});

test('only acts that the office lists are on the page', async (t) => {
  const { show, update, colleague } = await createDesk(t);
  await update(SECOND, { assignee: colleague });
  const html = await show(`/cases/${SECOND}`);
  assert.match(html, /Kim has this case/);
  assert.match(html, /value="take_over"/);
  assert.match(html, /Add the note/);
  assert.doesNotMatch(html, /Ask and wait|Write the finding|Decline|Purge now|value="let_go"/);
});

test('a question is sent once the buyer’s last message was read; before, nothing is sent and the text is kept', async (t) => {
  const { ask, answer, first, line } = await createDesk(t);
  await ask('GET', `/cases/${FIRST}`);
  await answer(first, 'They also have my home address.');
  const fields = { act: 'ask', text: 'Which name do they use?', seen_buyer: '0', seen_desk: '0' };
  const refused = readPage(await ask('POST', `/cases/${FIRST}/messages`, fields));
  assert.equal(refused.status, 409);
  assert.deepEqual(line.sent, []);
  assert.match(refused.html, /Robin wrote after you opened this case/);
  assert.match(refused.html, /They also have my home address/);
  assert.match(refused.html, /\nWhich name do they use\?<\/textarea>/);
  assert.match(refused.html, /name="seen_buyer" value="1"/);
  assert.match(refused.html, /I have read it: ask and wait/);
  const next = readRedirect(await ask('POST', `/cases/${FIRST}/messages`, { ...fields, seen_buyer: '1' }));
  assert.equal(next, `/cases/${SECOND}/closed`, 'the next case is shown');
  assert.deepEqual(line.sent, ['ask']);
});

test('what is refused begins the title and the page, and its field has the focus and the reason', async (t) => {
  const { ask, line } = await createDesk(t);
  await ask('GET', `/cases/${FIRST}`);
  line.isDown = true;
  const forms = [
    ['messages', { act: 'message', text: 'Which name?' }, 'Not sent', 'text'],
    ['notes', { note: 'Prepaid.' }, 'Not added', 'note'],
    ['decline', { text: 'Not lawful.' }, 'Not declined', 'decline-text'],
    ['keep', { text: 'You asked.', days: '90' }, 'Not changed', 'keep-text'],
    ['finding', { act: 'deliver', markdown: 'It is her.' }, 'Not delivered', 'markdown'],
  ] as const;
  for (const [path, fields, fact, id] of forms) {
    const { html, title, status } = readPage(await ask('POST', `/cases/${FIRST}/${path}`, fields));
    assert.equal(status, 409, path);
    assert.ok(title.startsWith(`${fact} · Desk`), title);
    assert.match(
      html,
      new RegExp(`^<p class="notice refused" role="alert"><span><b>${fact}\\.</b> The office`),
    );
    assert.deepEqual(html.match(/id="[^"]+"(?=[^>]* autofocus)/g), [`id="${id}"`]);
    assert.match(html, /<p class="error">The office cannot be reached/, path);
  }
  const act = readPage(await ask('POST', `/cases/${FIRST}/acts`, { act: 'take' }));
  assert.match(act.title, /^Not done · /);
});

test('what ends a case comes last, behind all that is pressed in a day’s work', async (t) => {
  const { show, update } = await createDesk(t);
  const findLast = async (texts: readonly string[]) => {
    const html = await show(`/cases/${FIRST}`);
    const places = texts.map((text) => html.indexOf(text));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.ok(places[0]! > 0);
  };
  await findLast(['id="reply"', 'id="note"', 'id="seal-title"', 'id="decline-text"']);
  await update(FIRST, WITHDRAWN);
  await findLast(['id="reply"', 'id="seal-title"', 'id="purge"']);
  const html = await show(`/cases/${SECOND}/finding`);
  assert.match(html.slice(html.lastIndexOf('<button')), /^<button[^>]*value="deliver"/);
});

test('what can be taken back is a group of its own, counted with the queue everywhere', async (t) => {
  const { ask, show, desk } = await createDesk(t);
  await readDelivered(
    await ask('POST', `/cases/${FIRST}/finding`, { act: 'deliver', markdown: 'Done.', seen_buyer: '0' }),
  );
  const html = await show('/queue');
  assert.match(html, /Open <span class="count">2</);
  assert.match(html, /class="group">On hold <span class="count">1</);
  assert.doesNotMatch(html, /class="group">Ended/);
  const numbers = await show('/numbers');
  assert.match(numbers, /In the queue<\/dt><dd><a href="\/queue">2</);
  assert.equal(desk.describeFrame().counts.queue, 2);
});

test('an answer is marked new until it is answered', async (t) => {
  const { ask, show, answer, first } = await createDesk(t);
  await ask('GET', `/cases/${FIRST}`);
  await answer(first, 'Yes, that is the account.');
  assert.match(await show('/queue'), /New answer/);
  for (const time of ['first', 'second'])
    assert.match(await show(`/cases/${FIRST}`), /New since you last looked/, time);
  await ask('POST', `/cases/${FIRST}/messages`, { act: 'message', text: 'Thank you.', seen_buyer: '1' });
  const html = await show(`/cases/${FIRST}`);
  assert.match(html, /<b>The desk<\/b><span class="author">, You<\/span>/);
  assert.doesNotMatch(await show(`/cases/${FIRST}`), /New since you last looked/);
});

test('while the office is not reached, what was opened can be read', async (t) => {
  const { ask, show, line, desk } = await createDesk(t);
  const reached = await show(`/cases/${FIRST}`);
  assert.match(reached, /<p class="small" data-away hidden>/);
  assert.doesNotMatch(reached, /disabled/);
  line.isDown = true;
  for (const view of ['', '?view=mine', '?view=ended'])
    assert.equal(readPage(await ask('GET', `/queue${view}`)).status, 200, view);
  const mine = await show('/queue?view=mine');
  assert.match(mine, new RegExp(`id="case-${FIRST}"`));
  assert.doesNotMatch(mine, new RegExp(`id="case-${SECOND}"`));
  for (const [path, buttons] of [
    ['', 5],
    ['/finding', 1],
  ] as const) {
    const html = await show(`/cases/${FIRST}${path}`);
    assert.equal(html.match(/data-office disabled>/g)?.length, buttons, path);
    assert.match(html, /<p class="small" data-away>The office is not answering/);
  }
  assert.match(await show(`/cases/${FIRST}`), /recruiter/);
  assert.equal(desk.describeFrame().isReached, false);
  await assert.rejects(ask('GET', `/cases/${SECOND}`), { code: 'unreachable' });
});

test('an act that the office does not answer is refused on the page of the case as it is, and loses nothing', async (t) => {
  const { ask, line, office } = await createDesk(t);
  const act = async (name: string) => readPage(await ask('POST', `/cases/${FIRST}/acts`, { act: name }));
  await ask('GET', `/cases/${FIRST}`);
  const finding = { act: 'deliver', markdown: 'It is her.', seen_buyer: '0' };
  await readDelivered(await ask('POST', `/cases/${FIRST}/finding`, finding));
  const readCase = office.readCase.bind(office);
  office.readCase = () => Promise.reject(new OfficeFault('unreachable', 'The office took too long.'));
  const refused = await act('take_back');
  assert.deepEqual(line.sent, [`/cases/${FIRST}/finding`], 'nothing is deleted that is not a draft yet');
  assert.match(refused.html, /Not done\.<\/b> The office is not answering/);
  assert.match(refused.html, /<p class="clock"><b>Delivered<\/b>/);
  assert.doesNotMatch(refused.html, /Write the finding|Ask and wait/);
  office.readCase = readCase;
  const back = readRedirect(await ask('POST', `/cases/${FIRST}/acts`, { act: 'take_back' }));
  assert.equal(back, `/cases/${FIRST}/finding`);
  assert.equal((await office.drafts.read(FIRST))?.['markdown'], 'It is her.');
  readRedirect(await ask('POST', `/cases/${FIRST}/acts`, { act: 'let_go' }));
  line.isDown = true;
  const taken = await act('take');
  assert.match(
    taken.html,
    /Not done\.<\/b> The office cannot be reached[\s\S]*Unassigned\.[\s\S]*value="take"/,
  );
});

test('a call is booked in the zone of the buyer', async (t) => {
  const { ask, show, service, office, line, update } = await createDesk(t);
  const toHour = (hours: number) => `${toIsoTime(Date.now() + hours * HOUR_MS).slice(0, 13)}:00`;
  const windows = [{ start: toHour(30), end: toHour(32), zone: 'Asia/Tokyo' }];
  const facts = { tier: 'Dossier', call: 'proposed' } as const;
  const { id } = await insertPlantedCase(service, facts, { ...INQUIRY, call_windows: windows });
  const html = await show(`/cases/${id}`);
  const begin = /<option value="(\d+)">/.exec(html)?.[1] ?? '';
  for (const wrong of [Date.now() - 60_000, Date.now() + 400 * DAY_MS]) {
    const refused = await ask('POST', `/cases/${id}/call`, { begin: `${wrong}`, seen_buyer: '0' });
    assert.match(readPage(refused).html, /Not booked\.<\/b> Choose when the call begins: a time ahead/);
  }
  assert.deepEqual(line.sent, []);
  await ask('POST', `/cases/${id}/call`, { begin, seen_buyer: '0' });
  assert.deepEqual(line.sent, ['book_call']);
  const [booked] = (await office.readCase(id)).content.messages;
  assert.ok(booked && 'content' in booked.said);
  const at = `${new Date(Number(begin)).toISOString().slice(0, 16)}Z`;
  assert.deepEqual(booked.said.content.call, { at, zone: 'Asia/Tokyo' });
  await update(id, { purge_at: Date.now() + HOUR_MS });
  const shown = await show(`/cases/${id}`);
  for (const text of [/Asia\/Tokyo/, /not provided a phone number/, /will be purged before the call/])
    assert.match(shown, text);
  await ask('POST', `/cases/${id}/acts`, { act: 'hold_call' });
  assert.equal((await office.readCase(id)).facts.call, 'held');
  await update(id, { call: 'booked', state: 'withdrawn', kept_until: Date.now() });
  const ended = await show(`/cases/${id}`);
  assert.match(ended, /The buyer sees: /);
  assert.doesNotMatch(ended, /not provided a phone number|will be purged before the call/);
});

test('the days until the purge change with a reason for the buyer, and not without one', async (t) => {
  const { ask, office, line } = await createDesk(t);
  await ask('GET', `/cases/${FIRST}`);
  const keep = async (text: string) =>
    await ask('POST', `/cases/${FIRST}/keep`, { days: '90', text, seen_buyer: '0' });
  assert.match(readPage(await keep(' ')).html, /Not changed\.<\/b> Write something/);
  assert.deepEqual(line.sent, []);
  assert.equal(readRedirect(await keep('The court asks for longer.')), `/cases/${FIRST}`);
  assert.equal((await office.readCase(FIRST)).facts.keep_days, 90);
});

test('a decline is on hold with the refund beside it, and taken back as a draft of its reason', async (t) => {
  const { ask, show, office } = await createDesk(t);
  await ask('GET', `/cases/${FIRST}`);
  const fields = { text: 'We do not trace people for others.', seen_buyer: '0', seen_desk: '0' };
  const next = readRedirect(await ask('POST', `/cases/${FIRST}/decline`, fields));
  assert.equal(next, `/cases/${SECOND}/closed`);
  for (const other of ['/queue', `/cases/${SECOND}`, `/cases/${FIRST}`]) {
    const html = await show(other);
    assert.match(html, /is declined\.<\/b> Robin can read the reason from/, other);
    assert.match(
      html,
      /refund the payment at the provider: reference <span class="code">cs_test_a1B2c3/,
      other,
    );
    assert.match(html, /value="take_back" aria-keyshortcuts="u"/, other);
  }
  const declined = await show(`/cases/${FIRST}`);
  assert.match(declined, /<details class="reference" open>[\s\S]*Refund the payment at the provider/);
  const act = office.act.bind(office);
  office.act = () => Promise.reject(new OfficeFault('refused', 'The buyer can already read it.'));
  const refused = readPage(await ask('POST', `/cases/${FIRST}/acts`, { act: 'take_back' }));
  assert.match(refused.html, /Not done.*The buyer can already read it\./s);
  assert.equal((await office.drafts.read(FIRST))?.['decline'], undefined, 'what is declined is no draft');
  office.act = act;
  const back = readRedirect(await ask('POST', `/cases/${FIRST}/acts`, { act: 'take_back' }));
  assert.equal(back, `/cases/${FIRST}#decline-text`);
  const html = await show(`/cases/${FIRST}`);
  assert.match(html, /Taken back/);
  const isTyped = /<details class="ending" open>.*>\s*We do not trace people for others\.<\/textarea>/s;
  assert.match(html, isTyped);

  await ask('POST', `/cases/${FIRST}/decline`, fields);
  office.drafts.saveGiven = () => Promise.reject(new OfficeFault('refused', 'The disk is full.'));
  const unsaved = readPage(await ask('POST', `/cases/${FIRST}/acts`, { act: 'take_back' })).html;
  assert.match(unsaved, /Taken back, but not saved.*The disk is full\./s);
  assert.match(unsaved, isTyped);
});

test('a case is handed over to a confirmed colleague, with the note that says why', async (t) => {
  const { ask, show, office, line, colleague } = await createDesk(t);
  const page = await show(`/cases/${FIRST}`);
  assert.match(page, new RegExp(`<select[^>]*name="to"><option value="${colleague}">Kim</option></select>`));
  const silent = { act: 'hand_over', to: colleague, note: ' ' };
  assert.equal(readPage(await ask('POST', `/cases/${FIRST}/notes`, silent)).status, 409);
  assert.deepEqual(line.sent, []);
  const fields = { act: 'hand_over', to: colleague, note: 'You know this registry.' };
  const press = () => ask('POST', `/cases/${FIRST}/notes`, fields);
  for (const answer of await Promise.all([press(), press()]))
    assert.equal(readRedirect(answer), `/cases/${SECOND}/closed`, 'pressed twice');
  assert.deepEqual(line.sent, [`/cases/${FIRST}/notes`, 'hand_over']);
  const { facts, notes } = await office.readCase(FIRST);
  assert.deepEqual([facts.holder, notes.at(-1)?.said], [colleague, { text: 'You know this registry.' }]);
  const html = await show('/queue');
  assert.match(html, /Handed over\.<\/b> [a-z ]+ is now assigned to Kim/);
  assert.doesNotMatch(html, /New note/, 'one’s own');
});

test('a note of one’s own is not new, and hides none of a colleague that is', async (t) => {
  const { office, connectKim } = await createDesk(t);
  await office.readCase(FIRST);
  const readNews = async () =>
    (await office.readQueue({ view: 'open' })).cases.find(({ id }) => id === FIRST);
  await office.addNote(FIRST, 'Prepaid.');
  assert.deepEqual((await readNews())?.team, undefined);
  await (await connectKim()).addNote(FIRST, 'I know her.');
  await office.addNote(FIRST, 'And her number.');
  assert.equal((await readNews())?.team, 'note');
});

test('what a colleague did stands in the list and counts as new', async (t) => {
  const { ask, office, connectKim } = await createDesk(t);
  await ask('GET', `/cases/${FIRST}`);
  const kim = await connectKim();
  for (const [work, tag] of [
    [() => kim.addNote(FIRST, 'I know her.'), 'New note'],
    [() => kim.act(FIRST, 'take_over'), 'Taken over'],
    [() => kim.act(FIRST, 'hand_over', office.holder), 'Handed to you'],
  ] as const) {
    await work();
    const { html, title } = readPage(await ask('GET', '/queue'));
    assert.match(html, new RegExp(`<span class="tag">${tag}</span>`));
    assert.equal(title, 'Desk: 2 new, 0 late');
  }
  const write = { act: 'message', text: 'Hello.', seen: { buyer: 0, desk: 0 } } as const;
  await office.sendMessage(FIRST, write);
  const unread = { code: 'case_changed', message: /A colleague has written/ };
  await assert.rejects(kim.sendMessage(FIRST, write), unread);
  const { seen } = await kim.readCase(FIRST);
  await assert.rejects(kim.sendMessage(FIRST, { ...write, seen }), { code: 'case_held' });
});

test('a finding is drafted, previewed, delivered with its file, and taken back as a draft', async (t) => {
  const { ask, show, office } = await createDesk(t);
  const path = `/cases/${FIRST}/finding`;
  await ask('POST', `/cases/${FIRST}/drafts`, { markdown: '# Not re' });
  assert.match(await show(path), /# Not re<\/textarea>/);
  const file = new File(['the sources'], '../so\u0000urces.pdf');
  const text = '# Not real\n\nSee [it](https://evil.example/).';
  const shown = readPage(await ask('POST', path, { act: 'preview', markdown: text, file })).html;
  assert.match(shown, /<h3>Not real<\/h3>/);
  assert.match(shown, /it \(https:\/\/evil\.example\/\)/);
  assert.match(shown, /\.\._so_urces\.pdf/);
  assert.match(shown, new RegExp(`Deliver ${nameCase(FIRST)} to Robin`));
  const delivery = await ask('POST', path, { act: 'deliver', markdown: text, seen_buyer: '0' });
  const next = await readDelivered(delivery);
  assert.equal(next, `/cases/${SECOND}/closed`);
  const { finding } = (await office.readCase(FIRST)).content;
  assert.ok(finding && 'content' in finding);
  const { markdown, files } = finding.content;
  assert.deepEqual(
    [markdown, files.map(({ name, size }) => [name, size])],
    [text, [['.._so_urces.pdf', 11]]],
  );
  for (const other of ['/queue', `/cases/${SECOND}`, `/cases/${SECOND}/finding`])
    assert.match(await show(other), /is delivered\.<\/b> Robin can see it from/, other);
  assert.equal(readRedirect(await ask('POST', `/cases/${FIRST}/acts`, { act: 'take_back' })), path);
  const back = await show(path);
  assert.match(back, /Taken back/);
  assert.match(back, /# Not real/);
  assert.match(back, /\.\._so_urces\.pdf/, 'the file waits again');
});

test('no word of the office deletes a draft: only a finding that opens does', async (t) => {
  const { ask, office, update } = await createDesk(t);
  await ask('POST', `/cases/${FIRST}/drafts`, { markdown: '# Half written' });
  await update(FIRST, WITHDRAWN);
  await ask('GET', `/cases/${FIRST}`);
  assert.equal((await office.drafts.read(FIRST))?.markdown, '# Half written');
});

test('people who came are shown with the digits of their keys, not by a name alone', async (t) => {
  const { ask, show, office } = await createDesk(t);
  const [sam, kim] = office.session!.people;
  Object.assign(office.session!, {
    peopleChange: {
      came: [kim!],
      went: [{ holder: sam!.holder, name: 'Kim' }],
      changed: [],
      recovery: null,
      isFirst: false,
    },
  });
  const readDigits = (holder: string) => formatKeyFingerprint(Buffer.from(holder, 'base64url'));
  const html = await show('/queue');
  assert.match(
    html,
    new RegExp(
      `Joined: Kim \\(key ${readDigits(kim!.holder)}\\), \\w+\\. Left: Kim \\(key ${readDigits(sam!.holder)}\\)`,
    ),
  );
  Object.assign(office.session!, { peopleChange: { came: [kim!], went: [], changed: [], isFirst: true } });
  const first = await show('/queue');
  assert.match(
    first,
    new RegExp(`These people work at the desk[^.]*\\.<.b> Kim \\(key ${readDigits(kim!.holder)}\\)\\. `),
  );
  assert.doesNotMatch(first, /Joined:/);
  office.confirmPeople = async () => {};
  const onCase = await show(`/cases/${FIRST}`);
  const back = /name="back" value="([^"]+)"/.exec(onCase)?.[1] ?? '';
  assert.equal(readRedirect(await ask('POST', '/people/confirm', { back })), `/cases/${FIRST}`);
  for (const foreign of ['//evil.example', 'https://evil.example', ''])
    assert.equal(readRedirect(await ask('POST', '/people/confirm', { back: foreign })), '/queue');
});

test('a finding that crossed with a new message is not delivered', async (t) => {
  const { ask, answer, first, line } = await createDesk(t);
  await ask('GET', `/cases/${FIRST}/finding`);
  await answer(first, 'Stop, it was my cousin.');
  const fields = { act: 'deliver', markdown: 'Done.', seen_buyer: '0' };
  const { html, status } = readPage(await ask('POST', `/cases/${FIRST}/finding`, fields));
  assert.equal(status, 409);
  assert.deepEqual(line.sent, []);
  assert.match(html, /Stop, it was my cousin/);
  assert.match(html, /I have read it: deliver/);
});

test('u takes back the answer of the case on the page, and elsewhere the latest', async (t) => {
  const { ask, show } = await createDesk(t);
  const finding = { act: 'deliver', markdown: 'Done.', seen_buyer: '0' };
  await readDelivered(await ask('POST', `/cases/${FIRST}/finding`, finding));
  await ask('POST', `/cases/${SECOND}/decline`, { text: 'Not lawful.', seen_buyer: '0', seen_desk: '0' });
  const findMeant = async (path: string) =>
    /aria-keyshortcuts="u"[^>]*>Take it back<span class="unseen">: ([^<]+)</.exec(await show(path))?.[1];
  assert.equal(await findMeant('/queue'), nameCase(SECOND));
  assert.equal(await findMeant(`/cases/${FIRST}`), nameCase(FIRST));
});

test('a long delivery says how far it is, and then what is next or why not', async () => {
  const listParts = async (delivery: Promise<void>) => {
    const state = { id: FIRST, buyer: 'Robin', sent: 5, total: 10 };
    const waitTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
    const parts: string[] = [];
    for await (const part of renderDeliveryPage(state, {
      delivery,
      step: waitTurn,
      findNext: async () => '/queue',
      renderOffer: () => writeHtml`<button aria-keyshortcuts="u">Take it back</button>`,
    }))
      parts.push(part.toString());
    return parts.join('');
  };
  const done = await listParts(new Promise((resolve) => setTimeout(resolve, 20)));
  assert.match(
    done,
    /^<main[\s\S]*5 bytes of 10 bytes sealed and sent[\s\S]*is delivered[\s\S]*href="\/queue"[\s\S]*Take it back[\s\S]*<\/main>$/,
  );
  const failed = await listParts(Promise.reject(new OfficeFault('case_held', 'Kim has this case.')));
  assert.doesNotMatch(failed, /Take it back/);
  assert.match(
    failed,
    /Nothing was delivered[\s\S]*Kim has this case\.[\s\S]*Your text and files are still here/,
  );
});

test('a purge needs the name of the case, typed', async (t) => {
  const { ask, line, update } = await createDesk(t);
  for (const id of [FIRST, SECOND]) await update(id, WITHDRAWN);
  assert.equal(readPage(await ask('POST', `/cases/${FIRST}/purge`, { name: 'yes' })).status, 409);
  assert.equal(readRedirect(await ask('POST', `/cases/${FIRST}/acts`, { act: 'purge' })), `/cases/${FIRST}`);
  assert.deepEqual(line.sent, []);
  const name = ` ${nameCase(FIRST).toUpperCase()} `;
  await ask('POST', `/cases/${FIRST}/purge`, { name, when: 'later' });
  await ask('POST', `/cases/${SECOND}/purge`, { name: nameCase(SECOND), when: 'now' });
  assert.deepEqual(line.sent, ['purge', 'purge_now']);
});

test('a page says before the name is typed whether a purge waits, and afterwards who asked, with a way back', async (t) => {
  const { ask, show, update, connectKim } = await createDesk(t);
  await update(FIRST, WITHDRAWN);
  const kim = openDeskPages(await connectKim());
  const readCase = async (visit = ask) => readPage(await visit('GET', `/cases/${FIRST}`)).html;
  const waiting = await readCase(kim.ask);
  assert.match(
    waiting,
    /<summary>Purge in a day<\/summary>[\s\S]*name="when" value="later"[\s\S]*can undo it/,
  );
  assert.doesNotMatch(waiting, /value="undo_purge"/);
  assert.match(
    await readCase(),
    /<summary>Purge now<\/summary>[\s\S]*name="when" value="now"[\s\S]*cannot be undone/,
  );
  await kim.ask('POST', `/cases/${FIRST}/purge`, { name: nameCase(FIRST), when: 'later' });
  assert.match(await readCase(), /Kim requested the purge of this case[\s\S]*value="undo_purge"/);
  const list = await show('/queue?view=purges');
  assert.match(list, /<span class="tag">Purge requested<\/span>[\s\S]*By Kim, /);
  assert.match(list, /requested by Kim<\/b>/);
  await ask('POST', `/cases/${FIRST}/acts`, { act: 'undo_purge' });
  assert.doesNotMatch(await readCase(), /requested the purge/);
});

test('the search finds words in opened cases, and locking forgets them', async (t) => {
  const { ask, desk } = await createDesk(t);
  const search = async (q: string) => readPage(await ask('POST', '/search', { q })).html;
  assert.match(await search('passport'), /Nothing found/);
  await ask('GET', `/cases/${FIRST}`);
  assert.match(await search('PASSPORT  contract'), new RegExp(nameCase(FIRST)));
  assert.match(await search('passport unicorn'), /Nothing found/);
  await desk.forget();
  assert.match(await search('passport'), /Nothing found/);
});

test('templates come from the folder alone, with the words of the case', async (t) => {
  const folder = await createTemporaryFolder(t);
  await writeFile(join(folder, 'Ask for more.md'), 'Dear {buyer}, about {case}: {unknown}');
  const { ask } = await createDesk(t, { templatesFolder: folder });
  const path = `/cases/${FIRST}/finding`;
  const inserted = await ask('POST', path, { act: 'insert', template: 'Ask for more', markdown: 'Hello' });
  assert.match(
    readPage(inserted).html,
    new RegExp(`Hello\\n\\nDear Robin, about ${nameCase(FIRST)}: \\{unknown\\}`),
  );
  const foreign = await ask('POST', path, { act: 'insert', template: '../../etc/passwd', markdown: 'Hello' });
  assert.match(readPage(foreign).html, /\nHello<\/textarea>/);
});

test('a draft is still saved after a restart, and the case says that one goes on writing', async (t) => {
  const { office, ask } = await createDesk(t);
  await ask('POST', `/cases/${FIRST}/drafts`, { markdown: '# Half written' });
  const startAgain = () => openDeskPages(office).ask;
  const again = startAgain();
  assert.match(readPage(await again('GET', `/cases/${FIRST}`)).html, /Continue writing/);
  const { html } = readPage(await startAgain()('GET', `/cases/${FIRST}/finding`));
  assert.match(html, /saved \d\d:\d\d</);
  assert.match(html, /# Half written/);
  for (const saved of [{}, { saved_at: 'soon' }]) {
    await office.drafts.save(SECOND, { markdown: '# Old', ...saved });
    const old = readPage(await startAgain()('GET', `/cases/${SECOND}/finding`)).html;
    assert.match(old, /saved earlier</);
  }
  office.drafts.read = () => Promise.reject(new OfficeFault('local_file', 'Not a draft of yours.'));
  assert.match(readPage(await startAgain()('GET', `/cases/${SECOND}`)).html, /Continue writing/);
});

test('files are saved in the folder under a safe name, never over another', async (t) => {
  const folder = join(await createTemporaryFolder(t), 'out');
  const { ask, answer, first } = await createDesk(t, { outFolder: folder });
  for (let times = 0; times < 2; times += 1) await ask('POST', `/cases/${FIRST}/files/inquiry-file.v1/0`);
  const name = nameCase(FIRST).replaceAll(' ', '-');
  assert.deepEqual((await readdir(folder)).toSorted(), [
    `${name}-offer-letter-2.pdf`,
    `${name}-offer-letter.pdf`,
  ]);
  await answer(first, 'It was my neighbour.');
  await ask('POST', `/cases/${FIRST}/files/buyer-message.v1/0`);
  assert.match(await readFile(join(folder, `${name}-buyer-message-1.txt`), 'utf8'), /my neighbour/);
  await assert.rejects(ask('POST', `/cases/${FIRST}/files/case-key.v1/0`), { code: 'case_unknown' });
  const place = `/cases/${FIRST}/files/inquiry-file.v1/0`;
  const elsewhere = await createDesk(t, { outFolder: join(folder, `${name}-offer-letter.pdf`, 'no-folder') });
  await assert.rejects(elsewhere.ask('POST', place), { code: 'ENOTDIR' });
  assert.equal(elsewhere.desk.savedFiles.size, 0);
  await assert.rejects(ask('GET', '/cases/..%2f..'), { code: 'case_unknown' });
});

test('no title names a case, and every form carries the token', async (t) => {
  const { ask } = await createDesk(t);
  for (const path of ['/queue', `/cases/${FIRST}`, `/cases/${FIRST}/finding`]) {
    const { html, title } = readPage(await ask('GET', path));
    assert.ok(!title.includes(nameCase(FIRST)) && !title.includes('Robin'), title);
    assertFormTokens(html, path);
  }
});
