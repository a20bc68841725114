/** The bundle that an install makes: used while it says what the source says, and else not. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServiceProcess, startServiceProcess, waitForProgramOutput } from '#test/service-process.ts';
import { bundleCopy, copyProgram, installCopy, runCopy, startBundling } from './program-copy.ts';

let project = await copyProgram({ after });
const getBundles = () => join(project, 'node_modules/.cache/office');
const getManifest = () => join(getBundles(), 'manifest.json');
const runVersion = () => runCopy(project, ['--version']);

test('an install that is killed leaves no bundle behind, and the source runs', async () => {
  const bundling = startBundling(project);
  while ((await readdir(getBundles()).catch(() => [])).length === 0) await sleep(20);
  bundling.kill('SIGKILL');
  await once(bundling, 'close');
  await assert.rejects(stat(getManifest()), { code: 'ENOENT' });
  const { code, from } = await runVersion();
  assert.deepEqual([code, from], [0, 'source']);
});

test('two installs at once both make one, and commands run it', async () => {
  assert.deepEqual(await Promise.all([bundleCopy(project), bundleCopy(project)]), ['done', 'done']);
  const { code, output, from } = await runVersion();
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  assert.deepEqual([code, from], [0, 'bundle']);
  assert.ok(output.includes(version), output);
  assert.equal((await runCopy(project, ['--version'], { OFFICE_BUNDLE: 'off' })).from, 'source');
});

async function readBundledCode(): Promise<string> {
  const { folder } = JSON.parse(await readFile(getManifest(), 'utf8')) as { folder: string };
  const files = globSync(join(getBundles(), folder, '{main,cli}/*.mjs'));
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
}

test('it has nothing of what packages do for nobody when they are loaded', async () => {
  const code = await readBundledCode();
  const isFound = (pattern: RegExp) => pattern.test(code);
  assert.ok(isFound(/"application\/x-www-form-urlencoded": ?\{/), 'the tables of media types are there');
  assert.ok(!isFound(/"application\/vnd\.[\w.-]+": ?\{/), 'but not all of them');
  assert.ok(!isFound(/^(?:var|const) \w+ = new Intl\.ListFormat/m), 'lists are formatted when asked for');
  assert.ok(isFound(/\bResponse\d* = class/), 'no answer is asked whether it is one of fetch');
  assert.ok(!isFound(/require\w*\("(?:node:)?http2"\)|parseJTD/i), 'HTTP/2 and JTD');
  assert.ok(!isFound(/\ball\d*\.WebSocket\b/), 'nor is anything else of fetch loaded with node:http');
});

test('it has every thread, and no error of ours has another name in it', async () => {
  const code = await readBundledCode();
  assert.doesNotMatch(code, /thread\.ts['"], import\.meta/);
  const sources = globSync('{src,cli,desk/keys}/**/*.ts', { exclude: ['**/*.test.ts'] });
  const texts = await Promise.all(sources.map((file) => readFile(file, 'utf8')));
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(/class (\w+) extends \w*(?:Error|Failure)\b/g), ([, name]) => name),
  );
  assert.ok(names.length > 5);
  assert.deepEqual(
    names.filter((name) => !new RegExp(`(?:class ${name}|${name} = class) `).test(code)),
    [],
  );
});

test('it is readable for any user, as is the code', async () => {
  // The one in use: that of a killed install stays as private as it was begun.
  const { folder } = JSON.parse(await readFile(getManifest(), 'utf8')) as { folder: string };
  const inside = await readdir(join(getBundles(), folder), { recursive: true });
  for (const name of ['manifest.json', folder, ...inside.map((each) => join(folder, each))]) {
    const { mode } = await stat(join(getBundles(), name));
    assert.equal(mode & 0o044, 0o044, name);
  }
});

test('an edited file runs as it is now, even if size and time of writing are those of before', async () => {
  const file = join(project, 'cli/commands.ts');
  const text = await readFile(file, 'utf8');
  const { atime, mtime } = await stat(file);
  const edited = text.replace('Exit codes: 0 done', 'EXIT CODES: 0 DONE');
  assert.ok(edited !== text);
  await writeFile(file, edited);
  await utimes(file, atime, mtime);
  const { from, output } = await runCopy(project, ['help']);
  assert.deepEqual([from, output.includes('EXIT CODES: 0 DONE')], ['source', true]);
  await writeFile(file, text);
  assert.equal((await runVersion()).from, 'bundle');
});

test('a list of packages that has changed, or a missing file, ends the use of the bundle', async () => {
  for (const name of ['package-lock.json', 'src/seal/words.ts', 'browser/pages/case.ts']) {
    const file = join(project, name);
    await rename(file, `${file}.gone`);
    assert.notEqual((await runCopy(project, ['help'])).from, 'bundle', name);
    await rename(`${file}.gone`, file);
  }
  assert.equal((await runVersion()).from, 'bundle');
});

test('a manifest that is broken, of another Node, or with a part missing is as none', async () => {
  const text = await readFile(getManifest(), 'utf8');
  const { folder } = JSON.parse(text) as { folder: string };
  for (const broken of ['', '{', 'null', text.slice(0, -20), text.replace(process.version, 'v24.0.0')]) {
    await writeFile(getManifest(), broken);
    const { code, from } = await runVersion();
    assert.deepEqual([code, from], [0, 'source']);
  }
  await writeFile(getManifest(), text);
  const part = join(getBundles(), folder, 'main/main.mjs');
  await rename(part, `${part}.gone`);
  assert.equal((await runVersion()).from, 'source');
  await rename(`${part}.gone`, part);
  assert.equal((await runVersion()).from, 'bundle');
});

test('a copy at another place uses it, by the content of the files', async () => {
  const moved = `${project} elsewhere`;
  await rename(project, moved);
  project = moved;
  for (const name of ['src/main.ts', 'cli/main.ts']) await utimes(join(project, name), 1, 1);
  assert.equal((await runVersion()).from, 'bundle');
});

test('the service in the bundle serves the same, and its log names the same places in the source', async (t) => {
  const office = [join(project, 'bin/office.js'), 'serve'] as const;
  const bundled = await startServiceProcess(t, {}, office);
  const source = await startServiceProcess(t, { OFFICE_BUNDLE: 'off' }, office);
  const pages = ['/', '/docs', '/openapi.json', '/privacy'];
  for (const page of pages) {
    const [ours, theirs] = [await bundled.get(page), await source.get(page)];
    assert.equal(ours.status, 200, page);
    assert.ok(ours.text.replaceAll(bundled.origin, source.origin) === theirs.text, page);
  }
  const listAssets = async ({ get }: typeof bundled) =>
    (await get('/case')).text.match(/\/assets\/[\w.-]+/g) ?? [];
  const assets = await listAssets(bundled);
  assert.deepEqual(assets, await listAssets(source));
  for (const path of assets) assert.equal((await bundled.get(path)).status, 200, path);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await compareEngineAnswers(bundled, source);
  // Sealed by a thread, which is a part of its own.
  const letter = { method: 'POST', headers: { ...headers, 'sec-fetch-site': 'same-origin' } };
  const sent = await bundled.get('/contact', { ...letter, body: 'topic=question&message=May+we+talk' });
  assert.match(sent.text, /Thank you/);
  const places = [];
  for (const service of [bundled, source]) {
    const db = new DatabaseSync(join(service.dataDir, 'inquiry-office.db'));
    db.exec('drop table tokens');
    db.close();
    const authorization = `Bearer ${'t'.repeat(43)}`;
    assert.equal((await service.get('/api/cases', { headers: { authorization } })).status, 500);
    await waitForProgramOutput(service, '"event":"request_failed"');
    const line = service.readOutput().match(/^.*"event":"request_failed".*$/m)?.[0] ?? '{}';
    const { error, at } = JSON.parse(line) as { error: string; at: string };
    // Of the first place its file: a function that the bundler has put into another is no place of its own.
    places.push({ error, at: at.split(':')[0] ?? '' });
  }
  assert.match(places[1]!.at, /^\S+\.ts$/);
  assert.deepEqual(places[0], places[1]);
});

/** The engine's packages are in the bundle without some of what they do. */
async function compareEngineAnswers(bundled: ServiceProcess, source: ServiceProcess): Promise<void> {
  const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  const client = 'client_id=nobody&client_secret=x';
  const requests: Parameters<ServiceProcess['get']>[] = [
    ['/oauth2/token', { ...form, body: `grant_type=client_credentials&${client}` }],
    ['/oauth2/token', { ...form, body: 'grant_type=client_credentials' }],
    ['/oauth2/token', { ...form, body: `${client}&grant_type=a&grant_type=b&scope=c&scope=d` }],
    ['/oauth2/token', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }],
    ['/oauth2/authorize?client_id=nobody', { headers: { accept: 'text/html' } }],
    ['/oauth2/authorize?client_id=nobody', { headers: { accept: 'application/json' } }],
  ];
  const summarize = async ({ get, origin }: ServiceProcess, [path, sent]: (typeof requests)[number]) => {
    const { status, headers, text } = await get(path, sent);
    return { status, type: headers['content-type'], text: text.replaceAll(origin, '') };
  };
  for (const sent of requests) {
    const answer = await summarize(bundled, sent);
    assert.ok(answer.status >= 400 && answer.status < 500);
    assert.deepEqual(answer, await summarize(source, sent));
  }
}

test('an install keeps what a start compiles, for whoever runs the service', async () => {
  assert.equal(await installCopy(project), 'done');
  const compiled = join(project, 'node_modules/.cache/node');
  const folders = (await readdir(compiled, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const files = await readdir(join(compiled, folders[0]!.name));
  assert.ok(files.length > 20, String(files.length));
  for (const name of files) {
    const { mode } = await stat(join(compiled, folders[0]!.name, name));
    assert.equal(mode & 0o044, 0o044, name);
  }
  if (process.getuid?.() !== 0) return;
  const nobody = /^nobody:[^:]*:(\d+):/m.exec(await readFile('/etc/passwd', 'utf8'))?.[1] ?? '';
  const link = folders[0]!.name.replace(/-0$/, `-${nobody}`);
  assert.deepEqual(await readdir(join(compiled, link)), files);
});

test('an install also keeps what the first token and the first payment load', async (t) => {
  const compiled = join(project, 'node_modules/.cache/node');
  const countFiles = async () => (await readdir(compiled, { recursive: true })).length;
  const before = await countFiles();
  const payments = { STRIPE_SECRET_KEY: 'sk_test_x', STRIPE_WEBHOOK_SECRET: 'whsec_x' };
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { serve: string } };
  const options = scripts.serve.split(' ').filter((word) => word.startsWith('--'));
  // The program itself says where its cache is.
  const service = await startServiceProcess(t, { ...payments, NODE_COMPILE_CACHE: '' }, [
    ...(options as [string, ...string[]]),
    join(project, 'bin/office.js'),
    'serve',
  ]);
  const token = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = 'grant_type=client_credentials&client_id=nobody&client_secret=x';
  assert.equal((await service.get('/oauth2/token', { method: 'POST', headers: token, body })).status, 401);
  const event = { 'content-type': 'application/json', 'stripe-signature': 't=0,v1=0' };
  const sent = { method: 'POST', headers: event, body: '{}' };
  assert.equal((await service.get('/api/stripe/webhook', sent)).status, 400);
  service.process.kill('SIGTERM');
  assert.equal(await service.ended, 0);
  assert.equal(await countFiles(), before);
});

test('what a former install left is removed in the end, but not what a running service may still load', async () => {
  const former = (JSON.parse(await readFile(getManifest(), 'utf8')) as { folder: string }).folder;
  for (const name of await readdir(getBundles())) await utimes(join(getBundles(), name), 1, 1);
  await writeFile(join(project, 'cli/main.ts'), `${await readFile('cli/main.ts', 'utf8')}\n`);
  await sleep(50);
  assert.equal(await bundleCopy(project), 'done');
  const { folder } = JSON.parse(await readFile(getManifest(), 'utf8')) as { folder: string };
  assert.deepEqual((await readdir(getBundles())).toSorted(), [folder, former, 'manifest.json'].toSorted());
  await rm(getBundles(), { recursive: true });
});
