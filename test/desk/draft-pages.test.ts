/** Drafts on the page of a finding: two windows lose nothing to each other, and files that were forgotten are missed. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeskWork } from '#desk/model/desk-work.ts';
import { createPageVisitor, readPage, readRedirect } from './asked-pages.ts';
import { createMadeUpOffice, OWN_HOLDER } from './made-up-office.ts';

const ID = 'pDtv2eGUQgcgaaaaaaaaaa';
const PATH = `/cases/${ID}/finding`;

function createDesk() {
  const office = createMadeUpOffice();
  office.addCase(ID, { holder: OWN_HOLDER, state: 'in_progress' });
  /** The same office and drafts after a lock, or a new start. */
  const unlock = () => createPageVisitor(new DeskWork({ office, outFolder: null, templatesFolder: null }));
  return { office, ask: unlock(), unlock };
}

/** As a browser sends them back with the form. */
function readHidden(html: string): { page: string; base: string } {
  const readValue = (name: string) => new RegExp(`name="${name}" value="([\\w-]+)"`).exec(html)?.[1] ?? '';
  return { page: readValue('page'), base: readValue('base') };
}

test('two windows that write one draft lose nothing to each other', async () => {
  const { ask, office } = createDesk();
  const openWindow = async () => readHidden(readPage(await ask('GET', PATH)).html);
  const save = async (window: { page: string; base: string }, markdown: string) =>
    assert.deepEqual(await ask('POST', PATH, { act: 'autosave', markdown, ...window }), { stay: true });
  const first = await openWindow();
  await save(first, 'It is her.');
  await save(first, 'It is her, surely.');
  assert.equal((await office.readDraft(ID))?.['earlier'], undefined, 'one window goes on');
  const second = await openWindow();
  await save(second, 'It is her, surely. Not.');
  assert.equal((await office.readDraft(ID))?.['earlier'], undefined, 'the second has read the first');
  await save(first, 'It is her, surely. See below.');
  await save(second, 'It is her, surely. Not at all.');
  const { html } = readPage(await ask('GET', PATH));
  assert.match(html, /\nIt is her, surely\. Not at all\.<\/textarea>/);
  assert.match(
    html,
    /Another window wrote this draft, too[\s\S]*\nIt is her, surely\. See below\.<\/textarea>/,
  );
  const dropped = await ask('POST', PATH, {
    act: 'drop_earlier',
    markdown: 'It is her, surely. Not at all.',
    ...readHidden(html),
  });
  assert.doesNotMatch(readPage(dropped).html, /See below/);
  assert.doesNotMatch(readPage(await ask('GET', PATH)).html, /Another window/);
});

test('an earlier finding that is shown again deletes no draft but the one that says the same', async () => {
  const { ask, office } = createDesk();
  const readCase = office.readCase.bind(office);
  const showFinding = (markdown: string) =>
    Object.assign(office, {
      readCase: async (id: string) => {
        const opened = await readCase(id);
        return { ...opened, content: { ...opened.content, finding: { content: { markdown, files: [] } } } };
      },
    });
  await ask('POST', PATH, { act: 'autosave', markdown: '# It is not her\n' });
  showFinding('# It is her');
  for (let visit = 0; visit < 2; visit += 1) await ask('GET', `/cases/${ID}`);
  assert.equal((await office.readDraft(ID))?.['markdown'], '# It is not her\n');
  showFinding('# It is not her');
  await ask('GET', `/cases/${ID}`);
  assert.equal((await office.readDraft(ID))?.['markdown'], undefined);
});

test('files that a lock has made the desk forget are missed by name before anything is delivered', async () => {
  const { ask, office, unlock } = createDesk();
  const markdown = '# Not real';
  const files = [new File(['the sources'], 'sources.pdf'), new File(['the map'], 'map.png')];
  const shown = readPage(await ask('POST', PATH, { act: 'attach', markdown, file: files as never })).html;
  assert.match(shown, /the desk forgets them when it locks or ends/);
  assert.match(shown, /<b>sources\.pdf<\/b> <span class="small">11 bytes, waits here/);
  const again = unlock();
  const lost = readPage(await again('GET', PATH)).html;
  assert.match(lost, /<b>sources\.pdf<\/b> <span class="small">forgotten with the lock: add it again/);
  await again('POST', PATH, { act: 'autosave', markdown });
  const refused = readPage(await again('POST', PATH, { act: 'deliver', markdown, seen_buyer: '0' }));
  assert.equal(refused.status, 409);
  assert.match(refused.html, /The desk was locked or ended since you added sources\.pdf, map\.png/);
  assert.deepEqual(office.sent, []);
  const added = new File(['the sources, again'], 'sources.pdf');
  await again('POST', PATH, { act: 'attach', markdown, file: added });
  const left = readPage(await again('POST', PATH, { remove_lost: 'map.png', markdown })).html;
  assert.doesNotMatch(left, /forgotten with the lock|map\.png/);
  readRedirect(await again('POST', PATH, { act: 'deliver', markdown, seen_buyer: '0' }));
  const [finding] = office.sent as { files: { name: string; size: number }[] }[];
  assert.deepEqual(
    finding?.files.map(({ name, size }) => [name, size]),
    [['sources.pdf', 18]],
  );
});

test('a file that is removed is not missed, and a new start misses none that was not chosen', async () => {
  const { ask, unlock } = createDesk();
  const file = new File(['the sources'], 'sources.pdf');
  await ask('POST', PATH, { act: 'attach', markdown: 'Text', file });
  const removed = readPage(await ask('POST', PATH, { remove: '1', markdown: 'Text' })).html;
  assert.doesNotMatch(removed, /sources\.pdf/);
  assert.doesNotMatch(readPage(await unlock()('GET', PATH)).html, /sources\.pdf/);
});
