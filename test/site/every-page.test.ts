/** What holds for each page, whatever it says. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test, { after } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { RELEASE_EXPIRES_AT } from '#platform/config/version.ts';
import { ASKED_WORD_CONTROLS } from '#seal/form/inquiry-sections.ts';
import { renderFinding } from '#site/case/page.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { buildTestApp } from '#test/test-app.ts';
import { startTestShop } from '#test/test-shop.ts';
import { CASE_FORM_FIELDS, CASE_PARTS, CASE_SLOTS, CASE_TEMPLATES, FIND_FORM_ID } from '#wire/case-page.ts';
import { CONTACT_FIELDS, CONTACT_FORM_ID } from '#wire/contact-page.ts';
import {
  DANGER_FIELD,
  IMMEDIATE_DANGER,
  INQUIRY_FORM_ID,
  INQUIRY_HIDDEN_FIELDS,
  INQUIRY_PART_IDS,
  INQUIRY_SENT_SLOTS,
} from '#wire/inquiry-page.ts';
import { DATA_KEYS, PART_IDS, SEALED_WHERE, SENT_TEMPLATE, WORDS_FIELD } from '#wire/page-parts.ts';
import { WORDS_FORM_ID } from '#wire/sign-in-page.ts';
import { browserHeaders, listPageVisits, type PageVisit, visitPage } from './every-page.ts';
import { assertValidHtml } from './markup.ts';

const WEIGHT = 12 * 1_024;

const shop = await startTestShop({ after });
const { get, sandbox } = shop;
const pages: [PageVisit, HttpsResponse][] = [];
for (const place of await listPageVisits(shop)) pages.push([place, await visitPage(get, place)]);
/** Each address is requested once, even if several pages name it. */
const named = new Map<string, Promise<HttpsResponse>>();
const getNamed = async (path: string): Promise<HttpsResponse> => {
  const answer = named.get(path) ?? get(path, { headers: { accept: '*/*' } });
  named.set(path, answer);
  return await answer;
};

const readPage = (name: string) => pages.find(([place]) => place.name === name)?.[1].text ?? '';

for (const [place, { status, text, headers }] of pages) {
  const { name } = place;

  test(`${name} is valid HTML`, async () => {
    assert.equal(status, place.status);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    await assertValidHtml(text, name);
  });

  test(`${name} has one heading, a language, a title and a way past the header`, () => {
    assert.equal(text.replace(/<template[\s\S]*?<\/template>/g, '').match(/<h1\b/g)?.length, 1);
    assert.match(text, /<html lang="en" dir="ltr">/);
    // The title in the browser's history does not reveal to which site the form belongs.
    const site = name === 'inquiry' ? '' : ' - Inquiry Office';
    assert.match(text, new RegExp(`<title>[^<]{10,}${site}</title>`));
    if (name === 'inquiry') assert.doesNotMatch(text, /<title>[^<]*(?:Inquiry|question|case)/);
    assert.match(text, /<a class="skip" href="#main">[\s\S]*<main id="main">/);
  });

  test(`${name} has no script or style of its own and admits none`, () => {
    assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=|javascript:/i);
    const policy = String(headers['content-security-policy']);
    assert.doesNotMatch(policy, /unsafe-|\*|data:|https?:\/\/(?!127\.0\.0\.1)/);
    for (const rule of [
      "default-src 'none'",
      "style-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
      assert.ok(policy.includes(rule), rule);
    assert.match(
      policy,
      /require-trusted-types-for 'script'; trusted-types (?:'none'|(?:sealer|opener)(?: opener)?)(?:;|$)/,
    );
  });

  test(`${name} runs its script and what holds its forms back, by their hashes`, async () => {
    const scripts = [...text.matchAll(/<script(?! type="application\/ld\+json">)[^>]*>/g)].map(
      ([tag]) => tag,
    );
    const policy = String(headers['content-security-policy']);
    assert.ok(policy.includes("script-src 'self'"));
    const sealing = policy.includes("worker-src 'self'");
    assert.equal(scripts.length, sealing ? 2 : 1);
    for (const tag of scripts) {
      const [, path = '', integrity] =
        /^<script(?: type="module")? src="([^"]+)" integrity="([^"]+)">$/.exec(tag) ?? [];
      const { bytes } = await getNamed(path);
      assert.equal(integrity, `sha384-${createHash('sha384').update(bytes).digest('base64')}`);
    }
  });

  test(`${name} is not cached and names no files of other sites`, () => {
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    for (const [tag, address] of text.matchAll(/<(?:link|img|script)[^>]*(?:href|src)="([^"]*)"/g))
      if (!tag.startsWith('<link rel="alternate" ')) assert.match(address ?? '', /^\/assets\//);
  });

  test(`${name} ${place.open ? 'may be listed' : 'is not listed'}`, () => {
    assert.equal(text.includes('<meta name="robots" content="noindex">'), !place.open);
  });

  test(`${name} offers a way out that needs no script, and explains it`, () => {
    assert.match(text, /<a class="leave"[^>]* href="https:\/\/[^"]+" rel="noreferrer">/);
    assert.match(text, /Escape three times[\s\S]*href="\/safety"/);
    assert.match(text, /Back button then shows/);
  });

  test(`${name} asks browsers to pass on nothing that is typed, and no words`, () => {
    for (const [box] of text.matchAll(/<(?:textarea|input)[^>]*>|<ol class="words"[^>]*>/g)) {
      if (/type="(?:hidden|radio|checkbox|file|datetime-local)"/.test(box)) continue;
      assert.match(box, box.startsWith('<ol') ? /translate="no" lang="en"/ : /translate="no"/);
      if (box.startsWith('<ol')) continue;
      for (const attribute of ['spellcheck="false"', 'autocapitalize="none"', 'autocorrect="off"'])
        assert.ok(box.includes(attribute), `${attribute} in ${box}`);
    }
  });

  test(`every address on ${name} answers`, async () => {
    for (const [, address = ''] of text.matchAll(/<(?:a|link)[^>]* href="(\/[^"]*|#[^"]*)"/g)) {
      const [path = '', anchor] = address.split('#');
      const target = path === '' ? { text, status: 200 } : await getNamed(path);
      if (anchor) assert.ok(target.text.includes(`id="${anchor}"`), address);
      if (path !== '/inquiry') assert.equal(target.status, 200, address);
    }
  });
}

test('a page has the forms, fields, templates, slots and parts of its script, and no others', () => {
  const found = readPage('case-error');
  const contact = readPage('contact-error');
  const signIn = readPage('permissions-error');
  const inquiry = readPage('inquiry');
  for (const page of [found, contact, signIn, inquiry]) {
    // The other three answer a form, with errors, so that no other language can be chosen.
    const missing = page === inquiry ? PART_IDS.problemsTitle : PART_IDS.languages;
    for (const id of Object.values(PART_IDS)) assert.equal(page.includes(` id="${id}"`), id !== missing, id);
    for (const where of Object.values(SEALED_WHERE)) assert.ok(page.includes(` data-when="${where}"`), where);
  }
  const inquiryFields = [
    ...Object.values(INQUIRY_HIDDEN_FIELDS),
    WORDS_FIELD,
    DANGER_FIELD,
    ...ASKED_WORD_CONTROLS,
  ];
  for (const [page, form, field] of [
    [found, FIND_FORM_ID, WORDS_FIELD],
    [signIn, WORDS_FORM_ID, WORDS_FIELD],
    ...Object.entries(CASE_FORM_FIELDS).map((entry) => [found, ...entry] as const),
    ...CONTACT_FIELDS.map((name) => [contact, CONTACT_FORM_ID, name] as const),
    ...inquiryFields.map((name) => [inquiry, INQUIRY_FORM_ID, name] as const),
  ] as const)
    assert.match(page, new RegExp(`<form[^>]* id="${form}"(?:(?!</form>)[\\s\\S])* name="${field}"`));
  for (const id of [...Object.values(INQUIRY_PART_IDS), WORDS_FIELD, ...ASKED_WORD_CONTROLS])
    assert.ok(inquiry.includes(` id="${id}"`), id);
  for (const [page, attribute, values] of [
    [found, '<template id', { ...CASE_TEMPLATES, sentences: PART_IDS.sentences }],
    [found, 'data-slot', CASE_SLOTS],
    [found, 'data-part', CASE_PARTS],
    [inquiry, '<template id', { sent: SENT_TEMPLATE, sentences: PART_IDS.sentences }],
    [contact, '<template id', { sent: SENT_TEMPLATE, sentences: PART_IDS.sentences }],
    [inquiry, 'data-slot', INQUIRY_SENT_SLOTS],
    [inquiry, 'data-when', { ...SEALED_WHERE, IMMEDIATE_DANGER }],
  ] as const) {
    const written = page.matchAll(new RegExp(`${attribute}="([^"]*)"`, 'g'));
    assert.deepEqual(new Set([...written].map(([, value]) => value)), new Set(Object.values(values)));
  }
  const finding = renderFinding('| a |\n| - |\n| b |').toString();
  const keys = [found, contact, signIn, inquiry, finding].join('').match(/ data-[a-z-]+/g);
  // Only a form with a draft has the service's half of its key.
  const wanted = DATA_KEYS.filter((key) => key !== 'draft-half').map((key) => ` data-${key}`);
  assert.deepEqual(new Set(keys), new Set(wanted), 'data that scripts read, and no more');
});

test('a page with a Buy button lets its form lead to the provider, and no other page does', () => {
  const origin = sandbox.env['STRIPE_API_URL'] ?? '';
  for (const [{ name }, { headers }] of pages) {
    const rule = /form-action ([^;]*)/.exec(String(headers['content-security-policy']))?.[1];
    assert.equal(rule, name.startsWith('home') ? `'self' ${origin}` : "'self'", name);
  }
});

test('the home page names the lowest price first, and before Buy what is got, refunded and agreed to', () => {
  const home = readPage('home');
  const [before = ''] = home.split('<form method="post" action="/buy"');
  assert.match(before, /class="hero"[\s\S]*from \$99[\s\S]*id="prices"/);
  for (const path of ['/what-you-get', '/sample', '/refunds', '/terms', '/about', '/safety#traces'])
    assert.ok(before.includes(`href="${path}"`), path);
  assert.match(home, /The payment page calls it “Online research, extended”/);
});

test('the home page offers the three services as linked data, at the prices of the API', async () => {
  const home = readPage('home');
  const [, block = ''] = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(home) ?? [];
  const { '@type': type, offers } = JSON.parse(block) as {
    '@type': string;
    offers: Record<string, unknown>[];
  };
  assert.equal(type, 'Service');
  const { json } = await get('/api/pricing');
  assert.deepEqual(
    offers.map(({ name, price, priceCurrency }) => ({ tier: name, price, currency: priceCurrency })),
    (json['tiers'] as { tier: string; price: number; currency: string }[]).map(
      ({ tier, price, currency }) => ({ tier, price, currency: currency.toUpperCase() }),
    ),
  );
  for (const [{ name }, { text }] of pages)
    assert.equal(text.includes('ld+json'), name.startsWith('home'), name);
});

test('each Buy form is a tool for agents in a browser, which no agent sends without its reader', () => {
  const home = readPage('home');
  const tools = [
    ...home.matchAll(/<form method="post" action="\/buy" toolname="([^"]+)" tooldescription="([^"]+)">/g),
  ];
  assert.deepEqual(
    tools.map(([, name]) => name),
    ['buy_trace', 'buy_dossier', 'buy_deep_sweep'],
  );
  for (const [, , description] of tools) assert.match(description ?? '', /\$\d+.*a person pays/);
  assert.doesNotMatch(home, /toolautosubmit/);
});

test('the home page weighs at most 12 KB with its stylesheet', async () => {
  const home = readPage('home');
  const css = await get(/<link rel="stylesheet" href="([^"]+)"/.exec(home)?.[1] ?? '');
  assert.ok(gzipSync(home).byteLength + gzipSync(css.bytes).byteLength <= WEIGHT);
});

test('pages that are the same for everyone travel compressed', async () => {
  for (const path of ['/', '/privacy', '/case', '/contact']) {
    const { headers, bytes } = await get(path, {
      headers: { ...browserHeaders, 'accept-encoding': 'gzip, br' },
    });
    assert.equal(headers['content-encoding'], 'br', path);
    assert.ok(bytes.byteLength < 10_000, `${path} has ${bytes.byteLength} bytes`);
  }
});

test('the empty form travels compressed but for its words, its token and its payment', async () => {
  const { path = '', cookie = '' } = pages.find(([{ name }]) => name === 'inquiry')?.[0] ?? {};
  const headers = { ...browserHeaders, cookie, 'accept-encoding': 'gzip, br' };
  const differences = new Set<number>();
  const shown = new Set<string>();
  for (let visit = 0; visit < 20; visit += 1) {
    const { headers: answered, bytes } = await get(path, { headers });
    assert.equal(answered['content-encoding'], 'gzip');
    assert.match(String(answered.vary), /accept-encoding/);
    const plain = gunzipSync(bytes);
    differences.add(plain.byteLength - bytes.byteLength);
    // Secrets are not compressed: from the length of the answer, an eavesdropper learns only that of the page.
    for (const [, secret = ''] of plain.toString().matchAll(SECRET_VALUES)) {
      assert.ok(bytes.includes(secret), secret);
      shown.add(secret);
    }
    assert.ok(bytes.byteLength < 20_000, String(bytes.byteLength));
  }
  assert.equal(differences.size, 1);
  assert.ok(shown.size > 200);
});

const SECRET_VALUES =
  /(?:name="(?:words|token)"[^>]* value="|data-payment-ref="|<li>)([a-z]{3,8}(?=<)|[^"<>]{16,})/g;

test('pages that hold what a visitor typed never do', async () => {
  const others = pages.filter(([{ form }]) => form !== undefined);
  assert.ok(others.length > 3);
  for (const [{ name, path, form, cookie }] of others) {
    const { headers } = await get(path, {
      headers: {
        ...browserHeaders,
        'accept-encoding': 'gzip, br',
        ...(cookie && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form !== undefined && { method: 'POST', body: form }),
    });
    assert.equal(headers['content-encoding'], undefined, name);
  }
});

test('the privacy page says for how long a backup can open an erased case', async () => {
  assert.match((await get('/privacy')).text, /a copy of its key stays in our backups for two days at most/);
});

test('a provider that cannot be asked is a page too', async () => {
  const id = await shop.createSession();
  await sandbox.setFaults({ api: [{ match: 'GET /v1/checkout/sessions/{id}', status: 500 }] });
  const { status, text } = await get(`/inquiry?session_id=${id}`);
  assert.equal(status, 503);
  await assertValidHtml(text, 'unreachable');
});

test('without a provider the home page says so and its buttons rest', async (t) => {
  const { get: ask } = await buildTestApp(t);
  const { text } = await ask('/');
  assert.match(text, /We’re not taking payments/);
  assert.equal(text.match(/<button[^>]* disabled>/g)?.length, 3);
  assert.doesNotMatch(text, /toolname|ld\+json/);
  await assertValidHtml(text, 'closed');
});

test('the place for reports of a weakness is named, for as long as the release is not too old', async () => {
  const { status, text, headers } = await get('/.well-known/security.txt');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  assert.match(text, /^Contact: mailto:maintainer@localhost$/m);
  assert.equal(Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? ''), RELEASE_EXPIRES_AT);
  assert.match(text, new RegExp(`^Canonical: ${shop.origin}/.well-known/security.txt$`, 'm'));
});
