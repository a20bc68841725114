/** What a start loads: every package in it delays the first answer (decision 1). */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { createDataFolder } from '#test/data-folder.ts';
import { startServiceProcess } from '#test/service-process.ts';

/** Each takes more than a tenth of the start, or few requests use it, so it is loaded at first use. */
const LATE_PACKAGES = [
  '@fastify/swagger',
  'age-encryption',
  'nodemailer',
  'oidc-provider',
  'pg',
  'prom-client',
  'selfsigned',
  'stripe',
];

test('a start loads none of the packages that only some requests need', async (t) => {
  const report = pathToFileURL('test/life/loaded-packages.ts').href;
  // With keys and certificate, as after a first start.
  const dataDir = await createDataFolder(t);
  const file = join(dataDir, 'loaded.json');
  const env = { NODE_OPTIONS: `--import ${report}`, LOADED_PACKAGES_FILE: file, DATA_DIR: dataDir };
  const service = await startServiceProcess(t, env);
  assert.equal((await service.get('/api/health')).status, 200);
  service.process.kill('SIGTERM');
  assert.equal(await service.ended, 0);
  const loaded = JSON.parse(await readFile(file, 'utf8')) as string[];
  assert.ok(loaded.includes('fastify') && loaded.includes('kysely'), loaded.join(' '));
  assert.deepEqual(
    LATE_PACKAGES.filter((name) => loaded.includes(name)),
    [],
  );
});
