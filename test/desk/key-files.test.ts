/** The files beside a desk key: none names a case, drafts open with this key alone, people are stored by office. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, copyFile, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import {
  deleteCaseTexts,
  deleteDraft,
  deleteOldDrafts,
  readDraft,
  saveDraft,
  saveUnsent,
} from '#desk/keys/draft-file.ts';
import { DRAFT_KINDS, mergeUnsent } from '#desk/keys/merged-draft.ts';
import { readPins, savePin } from '#desk/keys/pin-file.ts';
import { readSeenMarks, saveSeenMark } from '#desk/keys/seen-file.ts';
import { CaseDrafts } from '#desk/office/case-drafts.ts';
import { readPeople, savePeople } from '#desk/office/office-people.ts';
import { generateId } from '#platform/text/ids.ts';
import { deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import { createDeskTagger, createKeyPin } from '#seal/core/key-pin.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { assertNamesNothing } from './nameless-folder.ts';

const DAY_MS = 86_400_000;

async function createPinnedCase(t: TestContext) {
  const folder = await createTemporaryFolder(t);
  const key = { identity: await generateAgeIdentity(), path: join(folder, 'ana.key.pins') };
  const createPin = () =>
    createKeyPin(generateId(), {
      case: randomBytes(32).toString('base64url'),
      recipient: generateId(),
    });
  return { folder, key, pin: createPin(), createPin };
}

/** The assignee of a case. */
const ANA = 'ana-has-it';

test('nothing beside a key names a case, in a file or as its name', async (t) => {
  const { folder, key, pin } = await createPinnedCase(t);
  assert.equal(await savePin(key, pin), true);
  assert.equal(await savePin(key, pin), false);
  await saveSeenMark(key, pin.case, { buyer: 3, notes: 1, assigned: ANA });
  await saveDraft(key, pin.case, { note: 'x' });
  await saveUnsent(
    { ...key, recipient: await deriveRecipient(key.identity) },
    { caseId: pin.case, fields: { note: 'y' } },
  );
  await assertNamesNothing(folder, [ANA, pin.case, pin.lookup_hash, pin.recipient_hash]);
  const marks = await readSeenMarks(key);
  assert.deepEqual([marks.get(pin.case), marks.get(generateId())], [3, undefined]);
  const compare = (notes: number, assigned: string) => marks.compare(pin.case, { notes, assigned });
  assert.deepEqual(compare(1, ANA), { notes: false, assigned: false });
  assert.deepEqual(compare(2, 'kim'), { notes: true, assigned: true });
  await deleteCaseTexts(key, pin.case);
  assert.deepEqual(await readdir(join(folder, 'ana.key.drafts')), []);
});

test('a line goes once its case cannot exist any more, and stays while the case is opened', async (t) => {
  const { key, pin, createPin } = await createPinnedCase(t);
  const past = Date.now() - 480 * DAY_MS;
  const [forgotten, opened] = [createPin(), createPin()];
  for (const each of [forgotten, opened, pin]) await savePin(key, each, past);
  for (const each of [forgotten, pin])
    await saveSeenMark(key, each.case, { buyer: 1, notes: 0, assigned: ANA }, past);
  await savePin(key, opened, Date.now() - 100 * DAY_MS);
  assert.equal((await readFile(key.path, 'utf8')).match(/ \d{4}-\d{2}$/gm)?.length, 3);
  assert.equal(await savePin(key, pin, past + 30 * DAY_MS), false);
  assert.deepEqual((await readPins(key)).length, 2);
  assert.equal(await savePin(key, forgotten), true, 'it counts as opened for the first time');
  await saveSeenMark(key, pin.case, { buyer: 0, notes: 0, assigned: ANA });
  const marks = await readSeenMarks(key);
  assert.deepEqual([marks.get(pin.case), marks.get(forgotten.case)], [0, undefined]);
});

test('a draft is private, padded, bound to its case, and gone when it is deleted', async (t) => {
  const folder = await createTemporaryFolder(t);
  const key = { identity: await generateAgeIdentity(), path: join(folder, 'ana.key.pins') };
  const [id, other] = [generateId(), generateId()];
  assert.equal(await readDraft(key, id), null);
  await saveDraft(key, id, { act: 'ask', text: 'CANARY-DRAFT' });
  await saveDraft(key, other, { act: 'ask', text: 'CANARY-DRAFT '.repeat(100) });
  const drafts = join(folder, 'ana.key.drafts');
  const files = (await readdir(drafts)).map((name) => join(drafts, name));
  const stats = await Promise.all(files.map((file) => stat(file)));
  assert.deepEqual(
    [(await stat(drafts)).mode & 0o777, ...stats.map(({ mode }) => mode & 0o777)],
    [0o700, 0o600, 0o600],
  );
  assert.equal(stats[0]?.size, stats[1]?.size);
  for (const file of files) assert.ok(!(await readFile(file, 'latin1')).includes('CANARY'));
  assert.deepEqual(await readDraft(key, id), { act: 'ask', text: 'CANARY-DRAFT' });

  assert.equal(await readDraft({ ...key, identity: await generateAgeIdentity() }, id), null);
  const toPath = (caseId: string) => join(drafts, `${createDeskTagger(key.identity)('draft', caseId)}.age`);
  await copyFile(toPath(other), toPath(id));
  await assert.rejects(readDraft(key, id), /not your draft for this case/);
  await writeFile(toPath(id), 'half a f');
  await assert.rejects(readDraft(key, id), /not your draft/);
  await assert.rejects(saveDraft(key, id, { text: 'x'.repeat(300_000) }), /too long for a draft/);
  await chmod(drafts, 0o755);
  await saveDraft(key, id, { text: 'again' });
  assert.equal((await stat(drafts)).mode & 0o777, 0o700, 'others do not see which cases have drafts');
  await deleteDraft(key, id);
  await deleteDraft(key, id);
  assert.equal(await readDraft(key, id), null);
  for (const path of ['../../etc/passwd', '', 'a/b', '..'])
    for (const work of [readDraft(key, path), saveDraft(key, path, {}), deleteDraft(key, path)])
      await assert.rejects(work, /not the id of a case/);
});

test('a draft that was not opened for two months is deleted', async (t) => {
  const folder = await createTemporaryFolder(t);
  const key = { identity: await generateAgeIdentity(), path: join(folder, 'ana.key.pins') };
  const [old, recent] = [generateId(), generateId()];
  await deleteOldDrafts(key, Date.now());
  await saveDraft(key, old, { text: 'Hello' });
  const [name = ''] = await readdir(join(folder, 'ana.key.drafts'));
  const past = (Date.now() - 61 * 86_400_000) / 1000;
  await utimes(join(folder, 'ana.key.drafts', name), past, past);
  await saveDraft(key, recent, { text: 'Hello' });
  await deleteOldDrafts(key, Date.now());
  assert.deepEqual([await readDraft(key, old), await readDraft(key, recent)], [null, { text: 'Hello' }]);
});

test('people are remembered for each office, and a changed file is refused', async (t) => {
  const folder = await createTemporaryFolder(t);
  const key = { identity: await generateAgeIdentity(), path: join(folder, 'ana.key.pins') };
  const [ana, ben] = [
    { holder: 'a'.repeat(43), name: 'Ana', role: 'owner' as const },
    { holder: 'b'.repeat(43), name: null, role: 'investigator' as const },
  ];
  const [office, other] = ['https://office.example', 'https://other.example'];
  assert.equal(await readPeople(key, office), null);
  const [both, one] = [
    { people: [ana, ben], recovery: 'r'.repeat(43) },
    { people: [ana], recovery: null },
  ];
  await Promise.all([savePeople(key, office, both), savePeople(key, other, one)]);
  assert.deepEqual(await readPeople(key, office), both);
  assert.deepEqual(await readPeople(key, other), one);
  const path = join(folder, 'ana.key.people');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const text = await readFile(path, 'utf8');
  const lies = [text.replace('Ana', 'Eve'), text.replace('people 1', 'people 2'), '', text.split('\n')[0]!];
  for (const lie of lies) {
    await writeFile(path, lie);
    await assert.rejects(
      readPeople(key, office),
      /damaged, changed without the key, or made with another key/,
    );
    await assert.rejects(savePeople(key, office, one), /damaged/, 'nor is it replaced');
  }
  await writeFile(path, text);
  await assert.rejects(
    readPeople({ ...key, identity: await generateAgeIdentity() }, office),
    /made with another key/,
  );
});

test('files chosen while the desk was locked forget none that were chosen before', () => {
  const merged = mergeUnsent({ files: 'a.pdf\nb.pdf' }, { markdown: 'It is her.', files: 'b.pdf\nc.pdf' });
  assert.equal(merged['files'], 'a.pdf\nb.pdf\nc.pdf');
});

test('a command that ends a draft beside the desk loses nothing of what the desk saves', async (t) => {
  const { key, pin } = await createPinnedCase(t);
  const [desk, command] = [new CaseDrafts(key), new CaseDrafts(key)];
  await desk.save(pin.case, { files: 'x' });
  await Promise.all([
    ...DRAFT_KINDS.map((kind, index) => (index % 2 ? desk : command).save(pin.case, { [kind]: 'typed' })),
    command.drop(pin.case, ['files']),
  ]);
  const names = Object.keys((await desk.read(pin.case)) ?? {});
  assert.deepEqual(names.toSorted(), DRAFT_KINDS.toSorted());
});
