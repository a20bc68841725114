/** What a start caches beside the packages for the next one, and how it starts if nothing can be cached. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { createHttpsClient } from '#test/https-client.ts';
import { waitUntil } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { startProgram, startServiceProcess, waitForProgramOutput } from '#test/service-process.ts';

/** The program itself reports where its cache is. */
const OWN_CACHE = { NODE_COMPILE_CACHE: '' };
const NO_BUNDLER = { ESBUILD_BINARY_PATH: '/bin/false' };
const COPIED = ['bin', 'browser', 'content', 'languages', 'src', 'package.json'];
const REFUSAL = 'install the packages again with npm ci';

async function startAndStop(t: TestContext, project: string, env: Record<string, string> = {}) {
  const service = await startServiceProcess(t, { ...OWN_CACHE, ...env }, [
    join(project, 'bin/office.js'),
    'serve',
  ]);
  const { text } = await service.get('/case');
  service.process.kill('SIGTERM');
  assert.equal(await service.ended, 0);
  return { ...service, scripts: text.match(/\/assets\/[\w-]+\.js/g) ?? [] };
}

async function assertBundlerMissed(t: TestContext, project: string): Promise<void> {
  const [port = 0] = await findFreePorts(1);
  const settings = { PORT: String(port), HTTP_PORT: 'off', DATA_DIR: await createTemporaryFolder(t) };
  const office = join(project, 'bin/office.js');
  const program = startProgram(t, office, { ...settings, ...NO_BUNDLER }, ['serve']);
  assert.equal(await program.ended, 69);
  const lines = program.readOutput().match(/^Cannot start: .*$/gm) ?? [];
  assert.deepEqual([lines.length, lines[0]?.includes(REFUSAL)], [1, true], program.readOutput());
}

test('compiled code and scripts are kept beside the packages, and the scripts until a source changes', async (t) => {
  const project = await copyProgram(t);
  await assertBundlerMissed(t, project);
  const first = await startAndStop(t, project);
  assert.ok(!first.readOutput().includes('Cache '), first.readOutput());
  assert.equal(first.scripts.length, 2);
  const cache = join(project, 'node_modules/.cache');
  assert.deepEqual((await readdir(cache)).toSorted(), ['browser-scripts.json', 'node']);
  const compiled = await readdir(join(cache, 'node'), { recursive: true });
  assert.ok(compiled.length > 500, String(compiled.length));
  for (const name of await readdir(first.dataDir, { recursive: true }))
    assert.doesNotMatch(name, /cache|\.js/);

  const second = await startAndStop(t, project, NO_BUNDLER);
  assert.deepEqual(second.scripts, first.scripts);

  await appendFile(join(project, 'browser/pages/case.ts'), "\nconsole.info('edited');\n");
  const edited = await startAndStop(t, project);
  assert.notDeepEqual(edited.scripts, first.scripts);
  await writeFile(join(cache, 'browser-scripts.json'), '{"sourceHash"');
  assert.deepEqual((await startAndStop(t, project)).scripts, edited.scripts);
});

test('where nothing can be kept, the start says so in one line, and pages have their scripts', async (t) => {
  const project = await copyProgram(t);
  const cache = join(project, 'node_modules/.cache');
  await writeFile(cache, 'a file where the folder should be, which stops root as well');
  const { readOutput, scripts } = await startAndStop(t, project);
  const lines = readOutput().match(/^ +Cache .*$/gm) ?? [];
  assert.deepEqual(
    [lines.length, lines[0]?.includes(`${cache}/ cannot be written`)],
    [1, true],
    readOutput(),
  );
  assert.equal(scripts.length, 2);
});

test('health answers before the scripts are bundled, and pages wait for them', async (t) => {
  const project = await copyProgram(t);
  const allowed = join(project, 'allowed');
  const bundler = join(project, 'esbuild');
  const real = join(project, `node_modules/@esbuild/${process.platform}-${process.arch}/bin/esbuild`);
  const waiting = `while [ ! -e '${allowed}' ]; do sleep 0.05; done`;
  await writeFile(bundler, `#!/bin/sh\n${waiting}\nexec '${real}' "$@"\n`, { mode: 0o755 });
  const [port = 0] = await findFreePorts(1);
  const dataDir = await createDataFolder(t);
  const settings = { PORT: String(port), HTTP_PORT: 'off', DATA_DIR: dataDir, ESBUILD_BINARY_PATH: bundler };
  const service = startProgram(t, join(project, 'bin/office.js'), { ...OWN_CACHE, ...settings }, ['serve']);
  await waitUntil('the certificate is there', () => existsSync(join(dataDir, 'tls/localhost.crt')));
  const get = await createHttpsClient(`https://localhost:${port}`, dataDir);
  const readHealth = async () => (await get('/api/health')).status;
  await waitUntil('health answers', () => readHealth().catch(() => null));
  let isPageThere = false;
  const page = get('/case').finally(() => (isPageThere = true));
  assert.equal(await readHealth(), 200);
  assert.ok(!service.readOutput().includes('is ready.') && !isPageThere);
  await writeFile(allowed, '');
  assert.equal((await page).status, 200);
  await waitForProgramOutput(service, 'is ready.');
});

/** A copy of the program with caches of its own, which a test may edit and break, and with links to the packages. */
async function copyProgram(t: CleanupScope): Promise<string> {
  const project = join(await createTemporaryFolder(t), 'a copy');
  await mkdir(join(project, 'node_modules'), { recursive: true });
  for (const name of COPIED) await cp(name, join(project, name), { recursive: true });
  for (const name of await readdir('node_modules'))
    if (!['.bin', '.cache'].includes(name))
      await symlink(resolve('node_modules', name), join(project, 'node_modules', name));
  return project;
}
