import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { readOrCreateFile, replaceFile } from './atomic-file.ts';
import { ProgramError } from './exit-codes.ts';

test('of several concurrent creators one wins, and all get its text', async (t) => {
  const folder = await createTemporaryFolder(t);
  const path = join(folder, 'keys', 'secret');
  const texts = await Promise.all(
    Array.from({ length: 20 }, (_, index) => readOrCreateFile(path, () => `text ${index}`)),
  );
  assert.equal(new Set(texts).size, 1);
  assert.deepEqual(await readdir(join(folder, 'keys')), ['secret']);
});

test('an existing file is private and is not created again', async (t) => {
  const path = join(await createTemporaryFolder(t), 'keys', 'secret');
  await readOrCreateFile(path, () => 'first');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal(await readOrCreateFile(path, () => assert.fail('created twice')), 'first');
});

test('a replaced file holds the whole new text', async (t) => {
  const path = join(await createTemporaryFolder(t), 'secret');
  await readOrCreateFile(path, () => 'first');
  await replaceFile(path, 'second');
  assert.equal(await readOrCreateFile(path, () => 'third'), 'second');
});

test('a path that cannot be written is reported in one line', async (t) => {
  const folder = await createTemporaryFolder(t);
  await writeFile(join(folder, 'keys'), 'a file where a folder should be');
  await assert.rejects(
    readOrCreateFile(join(folder, 'keys', 'secret'), () => 'text'),
    (error: unknown) => error instanceof ProgramError && /^cannot (read|write) \S+/.test(error.message),
  );
});
