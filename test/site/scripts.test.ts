/** The scripts that browsers are sent: how much of them, and from where. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp } from '#test/test-app.ts';
import { SCRIPT_NAMES, WORKER_BY_SCRIPT, WORKER_NAMES } from '#view/scripts/script-names.ts';
import { type BrowserScripts, loadScripts } from '#view/scripts/scripts.ts';

const { get } = await buildTestApp({ after });
const served = new Map<string, Awaited<ReturnType<typeof get>>>();
let scripts: BrowserScripts;

before(async () => {
  scripts = await loadScripts();
  for (const { path } of [...Object.values(scripts.workers), ...Object.values(scripts.pages)])
    served.set(path, await get(path));
});

test('every script is typed, named by its content, and may be kept for ever', () => {
  assert.equal(served.size, SCRIPT_NAMES.length + WORKER_NAMES.length);
  for (const [path, { status, headers }] of served) {
    assert.equal(status, 200, path);
    assert.match(path, /^\/assets\/[a-z-]+-[\w-]{16}\.js$/);
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
  }
});

/** The limits in KB. */
const largerPages: Readonly<Record<string, number>> = { inquiry: 10, case: 14 };

test('the inquiry page and its scripts weigh at most 70 KB, the case page 95, and no script of another page more than 5', () => {
  const { pages, workers: files } = scripts;
  const computeGzipSize = (...assets: { readonly path: string }[]) =>
    assets.reduce(
      (sum, { path }) => sum + gzipSync(served.get(path)?.bytes ?? Buffer.alloc(0)).byteLength,
      0,
    );
  assert.ok(computeGzipSize(pages.hold, pages.inquiry, files.sealer) <= 70 * 1_000);
  assert.ok(computeGzipSize(pages.hold, pages.case, files.opener) <= 95 * 1_000);
  for (const [name, page] of Object.entries(pages))
    assert.ok(computeGzipSize(page) <= (largerPages[name] ?? 5) * 1_000, page.path);
});

test('a page that seals names exactly one worker: the one that is served', () => {
  for (const name of SCRIPT_NAMES) {
    const text = served.get(scripts.pages[name].path)?.text ?? '';
    const named = text.match(/\/assets\/[\w.-]+/g) ?? [];
    const worker = WORKER_BY_SCRIPT[name];
    assert.deepEqual(new Set(named), new Set(worker ? [scripts.workers[worker].path] : []), name);
  }
});

test('a worker may ask the service and no other server, and may run nothing more', () => {
  for (const { path } of Object.values(scripts.workers))
    assert.equal(
      served.get(path)?.headers['content-security-policy'],
      "default-src 'none'; connect-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
});

test('sealing and opening live in the workers alone', () => {
  for (const { path } of Object.values(scripts.pages))
    assert.doesNotMatch(served.get(path)?.text ?? '', /AGE-SECRET-KEY|age-encryption\.org|abandon/);
  for (const { path } of Object.values(scripts.workers))
    assert.match(served.get(path)?.text ?? '', /AGE-SECRET-KEY[\s\S]*abandon|abandon[\s\S]*AGE-SECRET-KEY/);
});

test('the workers do not carry the code for passphrases, which nothing here is sealed with', () => {
  for (const { path } of Object.values(scripts.workers)) {
    const text = served.get(path)?.text ?? '';
    assert.match(text, /nothing here is sealed with a passphrase/);
    assert.doesNotMatch(text, /maxmem/);
  }
});
