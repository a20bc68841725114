/** The program refuses records and shred keys from different moments, and reports them in one line. */
import assert from 'node:assert/strict';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { runCli } from '#test/cli/desk-cli.ts';
import { startServiceProcess, waitForProgramOutput } from '#test/service-process.ts';
import { assertStartRefused } from './refused-start.ts';

test('a service whose records were moved away ends with 78, makes nothing, and runs when they are back', async (t) => {
  const service = await startServiceProcess(t);
  const { dataDir } = service;
  await waitForProgramOutput(service, '"event":"started"');
  service.process.kill('SIGTERM');
  assert.equal(await service.ended, 0);
  const aside = join(dataDir, 'aside');
  await mkdir(aside);
  const moveRecords = async (from: string, to: string) => {
    for (const name of await readdir(from))
      if (name.startsWith('inquiry-office.db')) await rename(join(from, name), join(to, name));
  };
  await moveRecords(dataDir, aside);
  const reason = /inquiry-office\.db is missing.*office restore.*office doctor$/;
  await assertStartRefused(t, { DATA_DIR: dataDir }, 78, reason);
  assert.ok(!(await readdir(dataDir)).includes('inquiry-office.db'));
  assert.equal((await runCli({ DATA_DIR: dataDir }, ['cases', 'due'])).code, 78);
  await moveRecords(aside, dataDir);
  assert.equal((await runCli({ DATA_DIR: dataDir }, ['cases', 'due'])).code, 0);
});
