/** Drafts of the desk whose process is killed midway, or whose disk is full: the last saved draft is whole. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { readDraft, saveDraft, saveUnsent, toDraftFolder } from '#desk/keys/draft-file.ts';
import { deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { createMountedDisk } from '#test/small-disk.ts';

const ID = 'pDtv2eGUQgcgaaaaaaaaaa';

const script = `
  import { saveDraft } from '#desk/keys/draft-file.ts';
  const [path, identity, id] = process.argv.slice(1);
  for (let count = 1; ; count += 1) {
    await saveDraft({ identity, path }, id, { markdown: 'word '.repeat(5000) + count });
    process.stdout.write(count + '\\n');
  }`;

test('a desk that is killed while it saves a draft leaves the last one that it saved, or the next', async (t) => {
  const key = {
    identity: await generateAgeIdentity(),
    path: join(await createTemporaryFolder(t), 'desk.key.pins'),
  };
  for (const kills of [1, 2, 3]) {
    const args = ['--input-type=module-typescript', '-e', script, key.path, key.identity, ID];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let saved = 0;
    child.stdout.on('data', (chunk) => {
      saved = Number(String(chunk).trim().split('\n').at(-1));
      if (saved >= kills) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const { markdown = '' } = (await readDraft(key, ID)) ?? {};
    const count = Number(markdown.slice(markdown.lastIndexOf(' ')));
    assert.ok(count === saved || count === saved + 1, `${count} is there, ${saved} was said`);
  }
});

test('a full disk refuses a draft with a sentence, and the one before stays', async (t) => {
  const disk = await createMountedDisk(t, 4 * 1024 ** 2);
  if (disk === null) return t.skip('mounting is not permitted');
  const key = { identity: await generateAgeIdentity(), path: join(disk.folder, 'desk.key.pins') };
  await saveDraft(key, ID, { markdown: 'Saved before' });
  const names = await readdir(toDraftFolder(key));
  await fillDisk(join(disk.folder, 'filler'));
  const long = { markdown: 'word '.repeat(10_000) };
  await assert.rejects(saveDraft(key, ID, long), {
    name: 'ProgramError',
    message: /cannot write .*the disk is full/,
  });
  const place = { path: key.path, recipient: await deriveRecipient(key.identity) };
  await assert.rejects(saveUnsent(place, { caseId: ID, fields: long }), {
    message: /cannot write .*the disk is full/,
  });
  assert.deepEqual(await readDraft(key, ID), { markdown: 'Saved before' });
  assert.deepEqual(await readdir(toDraftFolder(key)), names, 'no half of a file stays');
});

async function fillDisk(path: string): Promise<void> {
  await using file = await open(path, 'w');
  for (const size of [64 * 1024, 1024])
    await assert.rejects(async () => {
      for (;;) await file.write(Buffer.alloc(size, 1));
    });
}
