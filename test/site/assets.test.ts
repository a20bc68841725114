/** Files that a browser may cache for ever, in an encoding that it can read. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import test, { after } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { buildTestApp } from '#test/test-app.ts';
import { cutFonts } from '#tools/fonts.ts';

const { get } = await buildTestApp({ after });
const { text: home } = await get('/');
const [, stylesheet = '', integrity = ''] =
  /<link rel="stylesheet" href="([^"]+)" integrity="([^"]+)">/.exec(home) ?? [];
const css = await get(stylesheet);
const named = [...home.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');

const inside = [...css.text.matchAll(/url\("([^"]+)"\)/g)].map(([, path]) => path ?? '');

test('every asset is named by its content, typed, and may be kept for ever', async () => {
  const types = {
    css: 'text/css; charset=utf-8',
    svg: 'image/svg+xml',
    woff2: 'font/woff2',
    png: 'image/png',
    js: 'text/javascript; charset=utf-8',
  };
  assert.equal(named.length, 5);
  const early = [
    ...home.matchAll(/<link rel="preload" as="font" type="font\/woff2" href="([^"]+)" crossorigin>/g),
  ];
  // If the font of headings were loaded early too, a page would be shown later on a slow line.
  assert.match(early.map(([, path]) => path).join(), /^\/assets\/public-sans-[^,]+$/);
  assert.ok(inside.includes(early[0]?.[1] ?? ''), 'the one that the stylesheet uses');
  for (const path of [...named, ...inside]) {
    const { status, headers } = await get(path);
    assert.equal(status, 200);
    assert.match(path, /^\/assets\/[a-z-]+-[\w-]{16}\.(css|svg|woff2|png|js)$/);
    assert.equal(headers['content-type'], types[path.split('.').at(-1) as keyof typeof types]);
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
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

const codings: [accepted: string | undefined, coding: string | undefined][] = [
  ['gzip, deflate, br, zstd', 'br'],
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['gzip;q=1, br;q=0', 'gzip'],
  ['*', 'br'],
  ['deflate', undefined],
  ['identity', undefined],
  [undefined, undefined],
];
for (const [accepted, coding] of codings)
  test(`Accept-Encoding: ${accepted ?? 'absent'} is answered with ${coding ?? 'no coding'}`, async () => {
    const answer = await get(stylesheet, {
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    });
    assert.equal(answer.headers['content-encoding'], coding);
    assert.equal(answer.headers.vary, 'accept-encoding');
    const plain =
      coding === 'br'
        ? brotliDecompressSync(answer.bytes)
        : coding === 'gzip'
          ? gunzipSync(answer.bytes)
          : answer.bytes;
    assert.deepEqual(plain, css.bytes);
    assert.equal(answer.headers['content-length'], String(answer.bytes.byteLength));
  });

test('a font, which is compressed already, goes as it is', async () => {
  const font = inside.find((path) => path.endsWith('.woff2')) ?? '';
  const { headers, bytes } = await get(font, { headers: { 'accept-encoding': 'br, gzip' } });
  assert.equal(headers['content-encoding'], undefined);
  assert.equal(bytes.subarray(0, 4).toString(), 'wOF2');
});

test('the first page with all that it loads has at most 60 KB, of which the fonts are cut to what the pages use', async () => {
  const answers = ['/', ...named, ...inside].map((path) =>
    get(path, { headers: { 'accept-encoding': 'br' } }),
  );
  // Both the page and the stylesheet name the font of running text.
  const sizes = new Map(
    (await Promise.all(answers)).map(({ bytes }) => [bytes.toString('base64'), bytes.length]),
  );
  assert.ok([...sizes.values()].reduce((sum, size) => sum + size) <= 60_000);
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
