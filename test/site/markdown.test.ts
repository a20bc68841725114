/** Pages that everyone may read are Markdown for programs: by the Accept header, and at an address of their own. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test, { after } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { CONTENT_PAGES } from '#content/site-content.ts';
import { startTestShop } from '#test/test-shop.ts';
import { browserHeaders, listPageVisits, visitPage } from './every-page.ts';

const shop = await startTestShop({ after });
const { get, services } = shop;
const { site, terms } = services.addresses;
const termsPath = terms(services.terms.version).slice(site.length);
const READABLE = [
  '/',
  ...CONTENT_PAGES.map((name) => `/${name}`),
  '/contact',
  '/docs',
  '/docs/webhooks',
  termsPath,
];
const toMarkdownPath = (path: string) => (path === '/' ? '/index.md' : `${path}.md`);
const inMarkdown = { accept: 'text/markdown' };

const PREFERENCES = [
  ['text/markdown', 'text/markdown'],
  [browserHeaders.accept, 'text/html'],
  ['text/markdown, text/html, */*', 'text/markdown'],
  ['Text/Markdown;q=0.9, text/html;q=0.8', 'text/markdown'],
  ['text/html;q=0.8, text/*', 'text/markdown'],
  ['text/markdown;q=0.8, text/html', 'text/html'],
  ['text/markdown;q=0, */*', 'text/html'],
  ['text/html, text/markdown', 'text/html'],
  ['text/*', 'text/html'],
  ['*/*', 'text/html'],
] as const;

/** Each address is requested once, even if several pages name it. */
const statuses = new Map<string, number>();

for (const path of READABLE) {
  test(`${path} is Markdown for callers that prefer it, and HTML for all others`, async () => {
    // One function chooses for all pages, so the others only test that it is called.
    for (const [accept, type] of path === '/' ? PREFERENCES : PREFERENCES.slice(0, 2)) {
      const { status, headers } = await get(path, { headers: { accept } });
      assert.equal(status, 200, accept);
      assert.equal(headers['content-type'], `${type}; charset=utf-8`, accept);
      assert.equal(headers['vary'], 'accept, accept-language, cookie, accept-encoding', accept);
      assert.equal(headers['cache-control'], 'no-store', accept);
    }
    assert.equal((await get(path, { headers: { accept: 'application/json' } })).status, 406);
  });

  test(`${path} names the address of its Markdown, where it is the same, cached, and readable by any site`, async () => {
    const page = await get(path, { headers: browserHeaders });
    const [, named] =
      /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(page.text.split('<body')[0] ?? '') ??
      [];
    assert.equal(named, toMarkdownPath(path));
    assert.match(
      page.text,
      /<body>\n<a class="skip".*\n<p hidden>[^<]*<a href="\/llms\.txt">/,
      'the index comes first',
    );
    const whole = `${site}${named}`;
    assert.ok(String(page.headers.link).startsWith(`<${whole}>; rel="alternate"; type="text/markdown"`));
    const chosen = await get(path, { headers: inMarkdown });
    assert.equal(chosen.headers['content-location'], whole);
    const { status, headers, text } = await get(toMarkdownPath(path), { headers: browserHeaders });
    assert.equal(status, 200);
    assert.equal(text, chosen.text);
    assert.equal(headers['content-type'], 'text/markdown; charset=utf-8');
    assert.equal(headers['cache-control'], 'public, max-age=300');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers.link, `<${site}${path}>; rel="canonical"`);
    assert.equal(headers['vary'], 'accept-language, cookie, accept-encoding');
  });

  test(`${toMarkdownPath(path)} has an ETag for each coding, is not sent twice, and answers HEAD`, async () => {
    const where = toMarkdownPath(path);
    const { headers, text } = await get(where);
    assert.match(String(headers.etag), /^"[\w-]{22}"$/);
    const packed = await get(where, { headers: { 'accept-encoding': 'br' } });
    assert.equal(packed.headers['content-encoding'], 'br');
    assert.equal(brotliDecompressSync(packed.bytes).toString(), text);
    for (const [etag, coding] of [
      [headers.etag, 'identity'],
      [packed.headers.etag, 'br'],
    ] as const) {
      const again = await get(where, {
        headers: { 'if-none-match': String(etag), 'accept-encoding': coding },
      });
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag]);
      assert.equal(again.headers['vary'], 'accept-language, cookie, accept-encoding');
    }
    assert.notEqual(packed.headers.etag, headers.etag);
    const head = await get(where, { method: 'HEAD' });
    assert.deepEqual([head.status, head.text, head.headers.etag], [200, '', headers.etag]);
  });

  test(`the Markdown of ${path} has the one title of its page, whole addresses, and no markup`, async () => {
    const { text } = await get(path, { headers: inMarkdown });
    assert.match(text, /^> For programs: \[llms\.txt\]\(https:\/\/localhost:\d+\/llms\.txt\)/);
    const outside = text.replace(/^( *)```[\s\S]*?^\1```$/gm, '').replace(/`[^`\n]*`/g, '');
    assert.equal(outside.match(/^# /gm)?.length, 1);
    assert.doesNotMatch(outside.replaceAll('<br>', ''), /<[a-z/]|&[a-z]+;|undefined|\[object/);
    for (const [, address = ''] of outside.matchAll(/\]\(([^)]*)\)/g)) {
      assert.match(address, /^(?:https:\/\/|mailto:|tel:)/);
      if (!address.startsWith(site)) continue;
      const where = address.slice(site.length).split('#')[0] ?? '';
      const status = statuses.get(where) ?? (await get(where, { headers: { accept: '*/*' } })).status;
      statuses.set(where, status);
      assert.equal(status, 200, address);
    }
  });

  test(`the Markdown of ${path} says every sentence that the page says`, async () => {
    const { text: page } = await get(path, { headers: browserHeaders });
    const markdown = toWords((await get(path, { headers: inMarkdown })).text);
    const main = /<main id="main">([\s\S]*)<\/main>/.exec(page)?.[1] ?? '';
    const read = main.replace(LEFT_OUT, '');
    const said = [...read.matchAll(/>([^<>]*\p{L}[^<>]*)</gu)].map(([, sentence = '']) =>
      toWords(decode(sentence)),
    );
    assert.ok(said.length > 5);
    for (const sentence of said) assert.ok(markdown.includes(sentence), sentence);
  });
}

/** What the writer leaves out: tables of contents, links within the page, what a script shows. */
const LEFT_OUT =
  /<(nav|template|script|textarea)\b[\s\S]*?<\/\1>|<p data-when[\s\S]*?<\/p>|<a class="button" href="#[\s\S]*?<\/a>|<p[^>]* hidden>[\s\S]*?<\/p>/g;

function toWords(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

const ESCAPED = { '&#39;': "'", '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' };

function decode(text: string): string {
  return text.replace(/&(?:#39|quot|lt|gt|amp);/g, (mark) => ESCAPED[mark as keyof typeof ESCAPED]);
}

test('the Markdown of an operator’s text is that text, after what the page says about it', async () => {
  const { text } = await get('/refunds.md');
  const source = readFileSync('content/refunds.md', 'utf8')
    .replaceAll('{{declined_days}}', '7')
    .replaceAll('{{withdrawn_hours}}', '24')
    .replaceAll('{{delivery_hours}}', '48')
    .replaceAll('](/', `](${site}/`);
  assert.equal(text.split('\n').slice(2).join('\n'), source);
  assert.match((await get('/terms.md')).text, /^>.*\n\nVersion \[.*\n\n# Terms\n/);
  assert.match((await get('/sample.md')).text, /^>.*\n\n\*\*This is an example\..*\n\n# A sample/);
});

test('Markdown speaks the language that is asked for', async () => {
  const { text, headers } = await get('/index.md', { headers: { 'accept-language': 'es' } });
  assert.equal(headers['content-language'], 'es');
  assert.match(text, /^> Para programas:/);
  assert.match(text, /\n# Pregunte en confianza/);
  const { text: english } = await get('/index.md');
  assert.notEqual(english, text);
});

test('Markdown has nothing of its reader: no form that is open in this browser', async () => {
  const visits = await listPageVisits(shop);
  const cookie = visits.find(({ name }) => name === 'home-open-form')?.cookie ?? '';
  assert.match(
    (await get('/', { headers: { ...browserHeaders, cookie } })).text,
    /class="notice"[\s\S]*href="\/inquiry"/,
  );
  for (const [path, accept] of [
    ['/', 'text/markdown'],
    ['/index.md', '*/*'],
  ] as const) {
    const { text } = await get(path, { headers: { accept, cookie } });
    assert.doesNotMatch(text, /\/inquiry/);
    assert.equal(text, (await get(path, { headers: { accept } })).text);
  }
});

test('every page that is not the same for everyone has no Markdown, and is HTML for who asks for that', async () => {
  const visits = await listPageVisits(shop);
  const others = visits.filter(({ path, form }) => form !== undefined || !READABLE.includes(path));
  assert.ok(others.length > 10);
  for (const visit of others) {
    const { text } = await visitPage(get, visit);
    assert.doesNotMatch(text, /rel="alternate"/, visit.name);
    const [path = ''] = visit.path.split('?');
    if (READABLE.includes(path)) continue;
    assert.equal((await get(`${path}.md`)).status, 404, visit.name);
    if (visit.form !== undefined) continue;
    const { status, headers } = await get(visit.path, {
      headers: { ...inMarkdown, 'sec-fetch-site': 'none', ...(visit.cookie && { cookie: visit.cookie }) },
    });
    assert.equal(status, visit.status, visit.name);
    if (status === 200) assert.equal(headers['content-type'], 'text/html; charset=utf-8', visit.name);
  }
  for (const path of [
    '/.md',
    '/index',
    '/inquiry.md',
    '/case.md',
    '/permissions.md',
    '/terms/nothing.md',
    '/docs.md.md',
  ])
    assert.equal((await get(path)).status, 404, path);
});
