/** Drafts on the pages of a case: every text is restored, two windows lose nothing, and forgotten files are named. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { OfficeFault } from '#desk/office/office-fault.ts';
import { DAY_MS } from '#platform/durations.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { insertPlantedCase } from '#test/desk-api/planted-case.ts';
import { openDeskPages, readDelivered, readPage, readRedirect } from './asked-pages.ts';
import { startServedPages } from './connected-desk.ts';

const ID = 'pDtv2eGUQgcgaaaaaaaaaa';
const PATH = `/cases/${ID}/finding`;

async function createDesk(t: TestContext) {
  const pages = await startServedPages(t);
  const { office, service } = pages;
  const own = { id: ID, assignee: office.holder, state: 'in_progress', tier: 'Dossier' } as const;
  await insertPlantedCase(service, own);
  /** The same office and drafts after a lock or a restart. */
  return { ...pages, unlock: () => openDeskPages(office).ask };
}

/** The hidden values that the page's script sends with the typed text. */
function readHidden(html: string): { page: string; markdown_base: string } {
  const readValue = (name: string) => new RegExp(`name="${name}" value="([\\w-]+)"`).exec(html)?.[1] ?? '';
  return { page: readValue('page'), markdown_base: readValue('base') };
}

const DRAFTS = `/cases/${ID}/drafts`;

test('every text that was typed is in its field after another page, a lock and a new start', async (t) => {
  const { ask, office, unlock } = await createDesk(t);
  const texts = {
    reply: '\nWhich name?\n',
    note: 'Prepaid.',
    decline: 'Not lawful.',
    keep: 'Asked for.',
    call: toIsoTime(Date.now() + 30 * DAY_MS).slice(0, 'YYYY-MM-DDTHH:MM'.length),
  };
  assert.deepEqual(Object.keys(await ask('POST', DRAFTS, { page: 'p', ...texts })), ['said']);
  for (const visitor of [ask, unlock()]) {
    const { html } = readPage(await visitor('GET', `/cases/${ID}`));
    for (const text of [texts.reply, texts.note, texts.decline, texts.keep])
      assert.ok(html.includes(`>\n${text}</textarea>`), text);
    assert.ok(html.includes(`value="${texts.call}"`));
    assert.equal(html.match(/data-saved="\w+">saved \d\d:\d\d</g)?.length, 5);
    assert.match(readPage(await visitor('GET', '/queue')).html, /Draft today \d\d:\d\d\./);
  }
  const again = unlock();
  await again('POST', `/cases/${ID}/messages`, { act: 'message', text: texts.reply });
  await again('POST', `/cases/${ID}/notes`, { note: texts.note });
  readRedirect(await again('POST', `/cases/${ID}/call`, { local: texts.call, seen_desk: '1' }));
  await again('POST', DRAFTS, { page: 'p', decline: '', keep: '' });
  assert.equal(await office.drafts.read(ID), null, 'what was sent or emptied is no draft');
  assert.doesNotMatch(readPage(await unlock()('GET', '/queue')).html, /Draft /);
});

test('a text that was refused is a draft, and one whose form is gone is shown until it is not needed', async (t) => {
  const { ask, show, office, line, service } = await createDesk(t);
  await ask('GET', `/cases/${ID}`);
  line.isDown = true;
  const refused = readPage(await ask('POST', `/cases/${ID}/notes`, { note: 'Prepaid.' }));
  assert.match(refused.html, /data-saved="note">saved \d\d:\d\d</);
  assert.equal((await office.drafts.read(ID))?.['note'], 'Prepaid.');
  line.isDown = false;
  const purged = { state: 'withdrawn', kept_until: Date.now(), purge_at: Date.now() + DAY_MS } as const;
  await service.store.records.updateTable('cases').set(purged).execute();
  assert.match(await show(`/cases/${ID}`), /Not sent<[\s\S]*\nPrepaid\.<\/textarea>/);
  assert.equal(readRedirect(await ask('POST', DRAFTS, { drop: 'note' })), `/cases/${ID}`);
  assert.equal(await office.drafts.read(ID), null);
});

test('a text that cannot be saved is said not to be', async (t) => {
  const { ask, office, line } = await createDesk(t);
  office.drafts.save = () => Promise.reject(new OfficeFault('local_file', 'The disk is full.'));
  assert.deepEqual(await ask('POST', DRAFTS, { note: 'x' }), {
    said: 'not saved: The disk is full.',
    status: 409,
  });
  await ask('GET', `/cases/${ID}`);
  line.isDown = true;
  const { html } = readPage(await ask('POST', `/cases/${ID}/notes`, { note: 'Prepaid.' }));
  assert.match(html, /\nPrepaid\.<\/textarea>[\s\S]*data-saved="note">not saved yet</);
});

test('two windows that write one draft lose nothing to each other', async (t) => {
  const { ask, show, office } = await createDesk(t);
  const openWindow = async () => readHidden(await show(PATH));
  const save = async (window: ReturnType<typeof readHidden>, markdown: string) =>
    assert.ok('said' in (await ask('POST', DRAFTS, { markdown, ...window })));
  const first = await openWindow();
  await save(first, 'It is her.');
  await save(first, 'It is her, surely.');
  assert.equal((await office.drafts.read(ID))?.['markdown_earlier'], undefined, 'one window goes on');
  const second = await openWindow();
  await save(second, 'It is her, surely. Not.');
  assert.equal(
    (await office.drafts.read(ID))?.['markdown_earlier'],
    undefined,
    'the second has read the first',
  );
  await save(first, 'It is her, surely. See below.');
  await save(second, 'It is her, surely. Not at all.');
  const html = await show(PATH);
  assert.match(html, /\nIt is her, surely\. Not at all\.<\/textarea>/);
  assert.match(html, /This draft has another version[\s\S]*\nIt is her, surely\. See below\.<\/textarea>/);
  assert.equal(readRedirect(await ask('POST', DRAFTS, { drop: 'markdown_earlier' })), PATH);
  assert.doesNotMatch(await show(PATH), /another version/);
});

test('what is typed while a text is sent, here or in another window, is a draft still', async (t) => {
  const { ask, office } = await createDesk(t);
  const sendMessage = office.sendMessage.bind(office);
  office.sendMessage = async (...sent) => {
    const facts = await sendMessage(...sent);
    await ask('POST', DRAFTS, { page: 'other', reply: 'Since when?' });
    return facts;
  };
  readRedirect(await ask('POST', `/cases/${ID}/messages`, { act: 'message', text: 'Hello.', page: 'p' }));
  const { reply, reply_earlier: earlier } = (await office.drafts.read(ID)) ?? {};
  assert.deepEqual([reply, earlier], ['Since when?', undefined]);
});

test('a second press while the first is under way sends nothing twice', async (t) => {
  const { ask, office } = await createDesk(t);
  const press = () => ask('POST', `/cases/${ID}/notes`, { note: 'Prepaid.' });
  for (const answer of await Promise.all([press(), press()])) readRedirect(answer);
  assert.equal((await office.readCase(ID)).notes.length, 1);
});

test('a finding that is taken back is a draft, whatever becomes of the answer and of an older draft', async (t) => {
  const { ask, office } = await createDesk(t);
  await readDelivered(await ask('POST', PATH, { act: 'deliver', markdown: 'It is her.', seen_buyer: '0' }));
  await ask('POST', DRAFTS, { page: 'old', markdown: 'It may be her.' });
  const act = office.act.bind(office);
  office.act = async (...asked) => {
    await act(...asked);
    throw new OfficeFault('unreachable', 'The office cannot be reached.');
  };
  const { html } = readPage(await ask('POST', `/cases/${ID}/acts`, { act: 'take_back' }));
  assert.match(html, /Not done[\s\S]*The office cannot be reached\./);
  assert.equal((await office.readCase(ID)).content.finding, null);
  const { markdown, markdown_earlier: earlier } = (await office.drafts.read(ID)) ?? {};
  assert.deepEqual([markdown, earlier], ['It may be her.', 'It is her.']);
});

test('a finding that is taken back beside another draft misses its files by name', async (t) => {
  const { ask, office, unlock } = await createDesk(t);
  const markdown = 'It is her.';
  await ask('POST', PATH, { act: 'attach', markdown, file: new File(['the sources'], 'sources.pdf') });
  await readDelivered(await ask('POST', PATH, { act: 'deliver', markdown, seen_buyer: '0' }));
  const again = unlock();
  await again('POST', DRAFTS, { page: 'old', markdown: 'It may be her.' });
  readRedirect(await again('POST', `/cases/${ID}/acts`, { act: 'take_back' }));
  const { markdown: begun, markdown_earlier: earlier } = (await office.drafts.read(ID)) ?? {};
  assert.deepEqual([begun, earlier], ['It may be her.', markdown]);
  const page = readPage(await again('GET', PATH)).html;
  assert.match(
    page,
    /<b>sources\.pdf<\/b> <span class="small">lost when the desk was locked or restarted: add it again/,
  );
});

test('an earlier finding that is shown again deletes no draft but the one that says the same', async (t) => {
  const { ask, office } = await createDesk(t);
  const readCase = office.readCase.bind(office);
  const showFinding = (markdown: string) =>
    Object.assign(office, {
      readCase: async (id: string) => {
        const opened = await readCase(id);
        return { ...opened, content: { ...opened.content, finding: { content: { markdown, files: [] } } } };
      },
    });
  await ask('POST', DRAFTS, { markdown: '# It is not her\n' });
  showFinding('# It is her');
  for (let visit = 0; visit < 2; visit += 1) await ask('GET', `/cases/${ID}`);
  assert.equal((await office.drafts.read(ID))?.['markdown'], '# It is not her\n');
  showFinding('# It is not her');
  await ask('GET', `/cases/${ID}`);
  assert.equal((await office.drafts.read(ID))?.['markdown'], undefined);
});

test('files that a lock has made the desk forget are missed by name before anything is delivered', async (t) => {
  const { ask, office, line, unlock } = await createDesk(t);
  const markdown = '# Not real';
  const files = [new File(['the sources'], 'sources.pdf'), new File(['the map'], 'map.png')];
  const shown = readPage(await ask('POST', PATH, { act: 'attach', markdown, file: files as never })).html;
  assert.match(shown, /they are lost when the desk locks or stops/);
  assert.match(shown, /<b>sources\.pdf<\/b> <span class="small">11 bytes, sent when you deliver/);
  const again = unlock();
  const lost = readPage(await again('GET', PATH)).html;
  assert.match(
    lost,
    /<b>sources\.pdf<\/b> <span class="small">lost when the desk was locked or restarted: add it again/,
  );
  await again('POST', DRAFTS, { markdown });
  const refused = readPage(await again('POST', PATH, { act: 'deliver', markdown, seen_buyer: '0' }));
  assert.equal(refused.status, 409);
  assert.match(refused.html, /The desk was locked or restarted after you added sources\.pdf, map\.png/);
  assert.deepEqual(line.sent, []);
  const added = new File(['the sources, again'], 'sources.pdf');
  await again('POST', PATH, { act: 'attach', markdown, file: added });
  const left = readPage(await again('POST', PATH, { remove_lost: 'map.png', markdown })).html;
  assert.doesNotMatch(left, /lost when the desk was locked|map\.png/);
  await readDelivered(await again('POST', PATH, { act: 'deliver', markdown, seen_buyer: '0' }));
  const { finding } = (await office.readCase(ID)).content;
  assert.ok(finding && 'content' in finding);
  assert.deepEqual(
    finding.content.files.map(({ name, size }) => [name, size]),
    [['sources.pdf', 18]],
  );
});

test('a finding goes with a file that was chosen and not added, as its page says', async (t) => {
  const { ask, show, office } = await createDesk(t);
  const post = async (act: string, file: string) =>
    await ask('POST', PATH, { act, markdown: 'Text', seen_buyer: '0', file: new File(['pages'], file) });
  assert.match(await show(PATH), /No file is sent with it, unless you have just chosen one\./);
  const added = readPage(await post('attach', 'sources.pdf')).html;
  assert.match(added, /It is sent with the file above and any that you have chosen since\./);
  await readDelivered(await post('deliver', 'map.png'));
  const { finding } = (await office.readCase(ID)).content;
  assert.ok(finding && 'content' in finding);
  assert.deepEqual(
    finding.content.files.map(({ name }) => name),
    ['sources.pdf', 'map.png'],
  );
});

test('a file that is removed is not missed, and a new start misses none that was not chosen', async (t) => {
  const { ask, unlock } = await createDesk(t);
  const file = new File(['the sources'], 'sources.pdf');
  await ask('POST', PATH, { act: 'attach', markdown: 'Text', file });
  const removed = readPage(await ask('POST', PATH, { remove: '1', markdown: 'Text' })).html;
  assert.doesNotMatch(removed, /sources\.pdf/);
  assert.doesNotMatch(readPage(await unlock()('GET', PATH)).html, /sources\.pdf/);
});
