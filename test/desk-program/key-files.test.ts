/** The files beside a desk key: drafts that only this key opens, and the people that it knows. */
import assert from 'node:assert/strict';
import { chmod, copyFile, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { deleteDraft, deleteOldDrafts, readDraft, saveDraft } from '#desk-program/keys/draft-file.ts';
import { readPeople, savePeople } from '#desk-program/keys/people-file.ts';
import { generateId } from '#platform/ids.ts';
import { generateAgeIdentity } from '#seal/age.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';

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

  await assert.rejects(
    readDraft({ ...key, identity: await generateAgeIdentity() }, id),
    /not a draft of yours/,
  );
  await copyFile(join(drafts, `${other}.age`), join(drafts, `${id}.age`));
  await assert.rejects(readDraft(key, id), /not a draft of yours for this case/);
  await writeFile(join(drafts, `${id}.age`), 'half a f');
  await assert.rejects(readDraft(key, id), /not a draft of yours/);
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

test('a draft that nobody came back to for two months goes', async (t) => {
  const folder = await createTemporaryFolder(t);
  const key = { identity: await generateAgeIdentity(), path: join(folder, 'ana.key.pins') };
  const [old, recent] = [generateId(), generateId()];
  await deleteOldDrafts(key, Date.now());
  for (const id of [old, recent]) await saveDraft(key, id, { text: 'Hello' });
  const past = (Date.now() - 61 * 86_400_000) / 1000;
  await utimes(join(folder, 'ana.key.drafts', `${old}.age`), past, past);
  await deleteOldDrafts(key, Date.now());
  assert.deepEqual([await readDraft(key, old), await readDraft(key, recent)], [null, { text: 'Hello' }]);
});

test('people are remembered for each office, and a changed file is refused', async (t) => {
  const folder = await createTemporaryFolder(t);
  const key = { identity: await generateAgeIdentity(), path: join(folder, 'ana.key.pins') };
  const [ana, ben] = [
    { holder: 'a'.repeat(43), name: 'Ana' },
    { holder: 'b'.repeat(43), name: null },
  ];
  const [office, other] = ['https://office.example', 'https://other.example'];
  assert.equal(await readPeople(key, office), null);
  await Promise.all([savePeople(key, office, [ana, ben]), savePeople(key, other, [ana])]);
  assert.deepEqual(await readPeople(key, office), [ana, ben]);
  assert.deepEqual(await readPeople(key, other), [ana]);
  const path = join(folder, 'ana.key.people');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const text = await readFile(path, 'utf8');
  const lies = [text.replace('Ana', 'Eve'), text.replace('people 1', 'people 2'), '', text.split('\n')[0]!];
  for (const lie of lies) {
    await writeFile(path, lie);
    await assert.rejects(readPeople(key, office), /damaged, changed without the key, or of another key/);
    await assert.rejects(savePeople(key, office, [ana]), /damaged/, 'nor is it replaced');
  }
  await writeFile(path, text);
  await assert.rejects(
    readPeople({ ...key, identity: await generateAgeIdentity() }, office),
    /of another key/,
  );
});
