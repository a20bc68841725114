import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { listConfigMistakes } from '#test/config-mistakes.ts';
import { readConfig } from './config.ts';
import { PROJECT_FOLDER } from './environment.ts';

async function listFaults(t: TestContext, content: string | Uint8Array): Promise<readonly string[]> {
  const file = join(await createTemporaryFolder(t), 'office.env');
  await writeFile(file, content);
  return listConfigMistakes({}, file).map((mistake) => mistake.replace(file, 'FILE'));
}

test('a line that sets no variable is a mistake, and is not shown: it may be a secret', async (t) => {
  const text =
    '# note\n\nSITE_NAME=A\r\nDESK_NETWORKS off\n  export API_PATH = /a # note\nMASTER_KEY:secret\nDATABASE_URL postgres://office:secret@db/office?sslmode=require\n';
  assert.deepEqual(
    await listFaults(t, text),
    [4, 6, 7].map((line) => `FILE, line ${line}: expected NAME=VALUE`),
  );
  for (const right of [
    '',
    '\n',
    ' \t\n#',
    'PORT=',
    "SITE_NAME='A' # 'B'",
    'SITE_NAME="it\'s"\nAPI_PATH=`/a`',
  ])
    assert.deepEqual(await listFaults(t, right), [], right);
});

test('an empty value with a blank behind it does not take the next line', async (t) => {
  const file = join(await createTemporaryFolder(t), 'office.env');
  await writeFile(file, 'CONTENT_DIR= \r\nDESK_NETWORKS=off\n');
  assert.deepEqual(readConfig({}, file).deskNetworks, []);
});

test('what is no text is refused after three lines', async (t) => {
  const garbage = Buffer.from('\0\x01\xff\n'.repeat(9), 'latin1');
  assert.equal((await listFaults(t, garbage)).length, 3);
  assert.equal((await listFaults(t, Buffer.alloc(64, 7))).length, 1);
});

test('a variable that is set twice is named', async (t) => {
  assert.deepEqual(await listFaults(t, 'PORT=9000\n#PORT=1\nSITE_NAME=B\nexport PORT=9001\n'), [
    'FILE, line 4: expected PORT only once, and it is already in line 1',
  ]);
});

test('a quote that is not closed would hide the lines below it', async (t) => {
  assert.deepEqual(await listFaults(t, 'SITE_NAME="Office\nDESK_NETWORKS=off\nAPI_PATH="/a"\n'), [
    'FILE, line 1: expected a closing quote on the same line',
  ]);
});

test('the shipped files are read', () => {
  for (const name of ['.env.example', 'deploy/production.env'])
    assert.doesNotMatch(listConfigMistakes({}, join(PROJECT_FOLDER, name)).join(), /, line /);
});
