/** Files that a browser may cache for ever, in an encoding that it can read; how large the scripts are, and from where. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import test, { after } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { HttpsResponse } from '#test/https-client.ts';
import { buildTestApp } from '#test/test-app.ts';
import { cutFonts } from '#tools/fonts.ts';
import { SCRIPT_NAMES, WORKER_BY_SCRIPT } from '#view/scripts/script-names.ts';
import { loadScripts } from '#view/scripts/scripts.ts';

const { get } = await buildTestApp({ after });
const { text: home } = await get('/');
const [, stylesheet = '', integrity = ''] =
  /<link rel="stylesheet" href="([^"]+)" integrity="([^"]+)">/.exec(home) ?? [];
const css = await get(stylesheet);
const named = [...home.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');

const inside = [...css.text.matchAll(/url\("([^"]+)"\)/g)].map(([, path]) => path ?? '');

const served = new Map<string, HttpsResponse>();
const { pages: scripts, workers } = await readAssets();
const readScript = ({ path }: { readonly path: string }) => served.get(path)?.text ?? '';

/** In a function: awaited here, a promise that another file made would take the tests below out of this one's suite. */
async function readAssets() {
  const loaded = await loadScripts();
  const files = [...Object.values(loaded.pages), ...Object.values(loaded.workers)];
  for (const path of [...named, ...inside, ...files.map((script) => script.path)])
    served.set(path, await get(path));
  return loaded;
}

const types = {
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
  png: 'image/png',
  js: 'text/javascript; charset=utf-8',
};

test('every asset is named by its content, typed, and may be kept for ever', () => {
  assert.equal(named.length, 5);
  for (const [path, { status, headers }] of served) {
    assert.equal(status, 200, path);
    assert.match(path, /^\/assets\/[a-z-]+-[\w-]{16}\.(css|svg|woff2|png|js)$/);
    assert.equal(headers['content-type'], types[path.split('.').at(-1) as keyof typeof types]);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
});

test('of the fonts only that of running text is loaded early, so that the first page is shown early', () => {
  const early = [
    ...home.matchAll(/<link rel="preload" as="font" type="font\/woff2" href="([^"]+)" crossorigin>/g),
  ].map(([, path = '']) => path);
  assert.match(early.join(), /^\/assets\/public-sans-[^,]+$/);
  assert.ok(inside.includes(early[0] ?? ''), 'the one that the stylesheet uses');
});

test('the page carries the hash of its stylesheet, which names only files that are there', async () => {
  assert.equal(integrity, `sha384-${createHash('sha384').update(css.bytes).digest('base64')}`);
  assert.equal(inside.length, 2);
});

test('no rule of the stylesheet stands twice, and no comment stands inside a selector', () => {
  const rules = [...css.text.matchAll(/([^{}]+)(\{[^{}]*\})/g)].map(([, before = '', block = '']) => ({
    // A comment that is no part of a rule begins its line.
    selector: before.replace(/^ *\/\*.*\*\/\n/gm, '').trim(),
    block,
  }));
  assert.ok(rules.length > 100);
  assert.deepEqual(
    rules.filter(({ selector }) => selector.includes('/*')),
    [],
  );
  const counts = Map.groupBy(rules, ({ selector, block }) => selector + block);
  assert.deepEqual(
    [...counts].filter(([, same]) => same.length > 1).map(([rule]) => rule),
    [],
  );
});

const codings: [accepted: string | undefined, coding?: 'br' | 'gzip'][] = [
  ['gzip, deflate, br, zstd', 'br'],
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['gzip;q=1, br;q=0', 'gzip'],
  ['*', 'br'],
  ['deflate'],
  ['identity'],
  [undefined],
];
for (const [accepted, coding] of codings)
  test(`Accept-Encoding: ${accepted ?? 'absent'} is answered with ${coding ?? 'no coding'}`, async () => {
    const answer = await get(stylesheet, {
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    });
    assert.equal(answer.headers['content-encoding'], coding);
    assert.equal(answer.headers.vary, 'accept-encoding');
    const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
    assert.deepEqual(coding ? decoders[coding](answer.bytes) : answer.bytes, css.bytes);
    assert.equal(answer.headers['content-length'], String(answer.bytes.byteLength));
  });

test('a font, which is compressed already, goes as it is', async () => {
  const font = inside.find((path) => path.endsWith('.woff2')) ?? '';
  const { headers, bytes } = await get(font, { headers: { 'accept-encoding': 'br, gzip' } });
  assert.equal(headers['content-encoding'], undefined);
  assert.equal(bytes.subarray(0, 4).toString(), 'wOF2');
});

test('the first page with all that it loads has at most 60 KB, of which the fonts are cut to what the pages use', async () => {
  let size = 0;
  // Both the page and the stylesheet name the font of running text.
  for (const path of new Set(['/', ...named, ...inside]))
    size += (await get(path, { headers: { 'accept-encoding': 'br' } })).bytes.length;
  assert.ok(size <= 60_000, String(size));
  for (const [path, bytes] of await cutFonts())
    assert.ok(bytes.equals(await readFile(path)), `${path} is not what \`npm run fonts\` makes`);
});

test('a reader who takes no coding at all is refused, and the refusal is not kept', async () => {
  const { status, headers } = await get(stylesheet, {
    headers: { 'accept-encoding': 'identity;q=0, *;q=0' },
  });
  assert.deepEqual([status, headers['cache-control']], [406, 'no-store']);
});

test('any other name is 404, and no path leads out', async () => {
  for (const name of [
    'site.css',
    'site-AAAAAAAAAAAAAAAA.css',
    '..%2f..%2fpackage.json',
    '%2e%2e%2fpage.ts',
    'toString',
  ])
    assert.equal((await get(`/assets/${name}`)).status, 404, name);
});

/** The limits in KB. */
const largerPages: Readonly<Record<string, number>> = { inquiry: 10, case: 14 };

test('the inquiry page and its scripts weigh at most 70 KB, the case page 95, and no script of another page more than 5', () => {
  const computeGzipSize = (...files: { readonly path: string }[]) =>
    files.reduce((sum, file) => sum + gzipSync(readScript(file)).byteLength, 0);
  assert.ok(computeGzipSize(scripts.hold, scripts.inquiry, workers.sealer) <= 70 * 1_000);
  assert.ok(computeGzipSize(scripts.hold, scripts.case, workers.opener) <= 95 * 1_000);
  for (const [name, page] of Object.entries(scripts))
    assert.ok(computeGzipSize(page) <= (largerPages[name] ?? 5) * 1_000, page.path);
});

test('a page that seals names exactly one worker: the one that is served', () => {
  for (const name of SCRIPT_NAMES) {
    const worker = WORKER_BY_SCRIPT[name];
    const paths = readScript(scripts[name]).match(/\/assets\/[\w.-]+/g) ?? [];
    assert.deepEqual(new Set(paths), new Set(worker ? [workers[worker].path] : []), name);
  }
});

test('a worker may ask the service and no other server, and may run nothing more', () => {
  for (const { path } of Object.values(workers))
    assert.equal(
      served.get(path)?.headers['content-security-policy'],
      "default-src 'none'; connect-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
});

test('sealing and opening live in the workers alone, without the code for passphrases, which nothing is sealed with', () => {
  for (const page of Object.values(scripts))
    assert.doesNotMatch(readScript(page), /AGE-SECRET-KEY|age-encryption\.org|abandon/);
  for (const text of Object.values(workers).map(readScript)) {
    for (const part of ['AGE-SECRET-KEY', 'abandon', 'nothing here is sealed with a passphrase'])
      assert.ok(text.includes(part), part);
    assert.doesNotMatch(text, /maxmem/);
  }
});
