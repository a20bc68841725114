/** The command line says which version it is, without a data folder. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { runCli } from './desk-cli.ts';

test('--version prints the version of package.json and nothing else', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  assert.deepEqual(await runCli({}, ['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
});
