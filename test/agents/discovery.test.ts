/** Specification 4.4: the discovery documents are found, match each other and the routes, and their URLs answer. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import test, { after } from 'node:test';
import { buildGuideValues } from '#agents/documents/guide-values.ts';
import { CHAPTERS } from '#agents/reference/chapters.ts';
import { production } from '#test/config-mistakes.ts';
import { createDataFolder, readRecipientSettings } from '#test/data-folder.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import { createInjectingClient } from '#test/simulation/requests.ts';
import { browserHeaders } from '#test/site/every-page.ts';
import { buildTestApp } from '#test/test-app.ts';
import { CASE_STATES } from '#wire/case-states.ts';
import { postRegistration, sampleRegistration } from './sample-registration.ts';

/** The characters of a page that an agent's tool reads before it cuts the page off. */
const MAX_CHARACTERS = 100_000;
const { get, services } = await buildTestApp({ after });
const { site, api, mcp } = services.addresses;
const SKILL = '/.well-known/agent-skills/confidential-inquiry/SKILL.md';

const documents: [path: string, type: string][] = [
  ['/.well-known/oauth-authorization-server', 'application/json'],
  ['/.well-known/oauth-protected-resource', 'application/json'],
  ['/.well-known/oauth-protected-resource/api', 'application/json'],
  ['/.well-known/oauth-protected-resource/mcp', 'application/json'],
  ['/mcp/server-card', 'application/mcp-server-card+json'],
  ['/.well-known/mcp/server-card.json', 'application/mcp-server-card+json'],
  ['/.well-known/api-catalog', 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'],
  ['/auth.md', 'text/markdown; charset=utf-8'],
  ['/sealing.md', 'text/markdown; charset=utf-8'],
  ['/sealing-vectors.json', 'application/json'],
  ['/openapi.json', 'application/json'],
  ['/oauth2/jwks', 'application/jwk-set+json'],
  ['/robots.txt', 'text/plain; charset=utf-8'],
  ['/sitemap.xml', 'application/xml'],
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/llms-full.txt', 'text/plain; charset=utf-8'],
  ['/api', 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'],
  ['/.well-known/agent-skills/index.json', 'application/json'],
  [SKILL, 'text/markdown; charset=utf-8'],
];

/** Addresses that do not answer a plain GET with 200, and how to call them. */
const otherwise: Readonly<Record<string, number>> = {
  '/oauth2/authorize': 400,
  '/oauth2/token': 405,
  '/hcgi/platform/api/oauth2/revoke': 405,
  '/hcgi/platform/api/collections/users/auth-refresh': 401,
  '/api/callback': 401,
  '/api/cases': 401,
  '/api/orders': 401,
  '/api/stripe/checkout': 405,
  '/api/inquiries': 405,
  '/agents/registrations/…': 401,
  '/mcp': 405,
};

for (const [path, type] of documents)
  test(`${path} has its media type, can be cached and read by any site, and supports ETags`, async () => {
    const { status, headers, text } = await get(path, { headers: { accept: '*/*' } });
    assert.equal(status, 200, text);
    assert.equal(
      headers['content-type']?.replace('; charset=utf-8', ''),
      type.replace('; charset=utf-8', ''),
    );
    assert.equal(headers['cache-control'], 'public, max-age=300');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['access-control-allow-credentials'], undefined);
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    const etag = String(headers.etag);
    assert.match(etag, /^"[\w-]{22}"$/);
    for (const known of [etag, `"other", W/${etag}`, '*']) {
      const again = await get(path, { headers: { 'if-none-match': known } });
      assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag]);
    }
    assert.equal((await get(path, { headers: { 'if-none-match': '"other"' } })).status, 200);
    const head = await get(path, { method: 'HEAD' });
    assert.deepEqual([head.status, head.text, head.headers.etag], [200, '', etag]);
  });

/** Each address is requested once, even if several documents name it. */
const statuses = new Map<string, number>();

for (const [path] of documents.filter(([name]) => !['/sealing-vectors.json', '/oauth2/jwks'].includes(name)))
  test(`every address in ${path} answers`, async () => {
    const { text } = await get(path);
    const addresses = new Set(text.match(new RegExp(`${site}[^\\s"'<>)|\\\\\`,;]*`, 'g')));
    assert.ok(addresses.size > 0, 'it names none');
    for (const address of addresses) {
      const where =
        address
          .slice(site.length)
          .replace(/[.:]+$/, '')
          .split('#')[0] || '/';
      if (where.includes('{')) continue;
      const status =
        statuses.get(where) ?? (await get(encodeURI(where), { headers: { accept: '*/*' } })).status;
      statuses.set(where, status);
      assert.equal(status, otherwise[where] ?? 200, `${address} in ${path}`);
    }
  });

test('auth.md repeats the metadata exactly, and all its JSON is valid', async () => {
  const { text } = await get('/auth.md', { headers: { accept: 'text/markdown, text/plain, */*' } });
  assert.match(text, /^# .*auth\.md/);
  const fences = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, body = '']) => JSON.parse(body) as unknown,
  );
  assert.ok(fences.length >= 4);
  assert.deepEqual(fences[0], (await get('/.well-known/oauth-protected-resource')).json);
  assert.deepEqual(fences[1], (await get('/.well-known/oauth-authorization-server')).json);
  assert.match(text, /maintainer@localhost/);
});

test('every placeholder of the Markdown files has a value, and every value a place', () => {
  const named = globSync('src/agents/documents/*.md').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\{\{([^}]*)\}\}/g)].map(([, name = '']) => name),
  );
  const { addresses, clientDocumentHosts } = services;
  const guideSite = {
    addresses,
    clientDocumentHosts,
    siteName: 'Office',
    maintainer: 'a@example.org',
    testNote: '',
  };
  for (const way of ['http', 'mcp'] as const) {
    const names = [...Object.keys(buildGuideValues(guideSite, way)), 'steps'];
    assert.deepEqual(names.toSorted(), [...new Set(named)].toSorted());
  }
});

async function readPrompt(read: HttpsClient): Promise<HttpsResponse> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const message = { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'buy_inquiry' } };
  return await read('/mcp', { method: 'POST', headers, body: JSON.stringify(message) });
}

test('every guide tells the same steps, with the words and how to get them again', async () => {
  const guides = ['/auth.md', SKILL, '/llms.txt', '/llms-full.txt'];
  const answers = await Promise.all([readPrompt(get), ...guides.map((path) => get(path))]);
  for (const { text } of answers) {
    assert.match(text, /`words`, twelve of them: store them before anything else/);
    assert.match(text, /If the answer is lost, the same request with the same `[\w-]+` gives the same words/);
    assert.match(
      text,
      /`delivered`, read the finding [^.]*(?:get_finding|`POST \S+\/cases\/\{case\}\/plain`)/,
    );
  }
});

test('every document for programs says where no payment is real, and none elsewhere', async (t) => {
  const webhook = { STRIPE_WEBHOOK_SECRET: 'whsec_x' };
  const { get: getTested } = await buildTestApp(t, { env: { ...webhook, STRIPE_SECRET_KEY: 'sk_test_x' } });
  const folder = await createDataFolder(t);
  const recipients = await readRecipientSettings(folder);
  const real = { ...production, ...recipients, ...webhook, STRIPE_SECRET_KEY: 'sk_live_x', RATE_LIMIT: 'on' };
  const { get: getLive } = await buildTestApp(t, {
    env: { ...real, DATA_DIR: folder, TRUSTED_PROXIES: '127.0.0.1' },
    inject: (live) => {
      const ask = createInjectingClient(live);
      const proxied = { host: 'inquiry.example', 'x-forwarded-proto': 'https' };
      return (path, { headers = {}, ...rest } = {}) =>
        ask(path, { ...rest, headers: { ...headers, ...proxied } });
    },
  });
  for (const [read, expected] of [
    [getTested, true],
    [getLive, false],
    [get, false],
  ] as const) {
    const answers = [await readPrompt(read)];
    for (const path of ['/auth.md', SKILL, '/llms.txt', '/docs.md', '/openapi.json'])
      answers.push(await read(path));
    for (const { status, text } of answers)
      assert.deepEqual([status, text.includes('no payment is real')], [200, expected], text);
    assert.equal((await read('/auth.md')).text.includes('There is no test mode here'), !expected);
  }
});

test('auth.md names the answer that has the address of an order, and how often to ask for a decision', async () => {
  const { text } = await get('/auth.md');
  assert.match(text, /The header `Location` is the address of the order/);
  const [, seconds] = /at least\s+(\d+) seconds apart/.exec(text) ?? [];
  const { headers } = await postRegistration(get, sampleRegistration);
  assert.equal(headers['retry-after'], seconds);
});

test('the registration that auth.md shows is accepted unchanged', async () => {
  const { text } = await get('/auth.md');
  const sample = /```json\n(\{\s+"client_name"[\s\S]*?)```/.exec(text)?.[1] ?? '';
  const answer = await postRegistration(get, JSON.parse(sample));
  assert.equal(answer.status, 202, answer.text);
});

test('the catalog is a linkset, and links to itself', async () => {
  const { json, headers } = await get('/.well-known/api-catalog', {
    headers: { accept: 'application/json' },
  });
  const linkset = json['linkset'] as Record<string, { href: string; type: string }[]>[];
  const [entry, tools] = linkset;
  assert.equal(linkset.length, 2);
  assert.equal(tools?.['anchor'], mcp);
  assert.equal(entry?.['anchor'], api);
  assert.deepEqual(entry?.['service-desc'], [{ href: `${site}/openapi.json`, type: 'application/json' }]);
  assert.deepEqual(entry?.['status'], [{ href: `${api}/health`, type: 'application/json' }]);
  for (const relation of ['service-desc', 'service-doc', 'service-meta'])
    for (const { href, type } of linkset.flatMap((each) => each[relation] ?? [])) {
      const { headers: addresses } = await get(href.slice(site.length), { headers: { accept: '*/*' } });
      assert.ok(addresses['content-type']?.startsWith(type), href);
    }
  const head = await get('/.well-known/api-catalog', { method: 'HEAD' });
  assert.equal(
    head.headers.link,
    `<${site}/.well-known/api-catalog>; rel="api-catalog"; type="application/linkset+json"`,
  );
  assert.equal(headers.link, head.headers.link);
  assert.deepEqual((await get('/api')).json, json, 'and it is at the address of the API');
});

test('the home page links to all of them', async () => {
  const { headers, text } = await get('/', { headers: browserHeaders });
  const links = String(headers.link);
  for (const relation of ['api-catalog', 'service-desc', 'service-doc', 'service-meta'])
    assert.ok(links.includes(`rel="${relation}"`), relation);
  for (const [, address = ''] of links.matchAll(/<([^>]+)>/g))
    assert.equal(
      (await get(address.slice(site.length), { headers: { accept: '*/*' } })).status,
      200,
      address,
    );
  for (const path of ['/docs', '/auth.md']) assert.ok(text.includes(`href="${path}"`), path);
});

test('the index of skills gives each one its own name, and the digest of what is served', async () => {
  const { json } = await get('/.well-known/agent-skills/index.json');
  assert.equal(json['$schema'], 'https://schemas.agentskills.io/discovery/0.2.0/schema.json');
  const skills = json['skills'] as Record<'name' | 'type' | 'description' | 'url' | 'digest', string>[];
  assert.equal(skills.length, 1);
  for (const { name, type, description, url, digest } of skills) {
    assert.equal(type, 'skill-md');
    const { bytes, text } = await get(url.slice(site.length));
    assert.equal(digest, `sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    assert.match(name, /^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    assert.ok(url.endsWith(`/${name}/SKILL.md`));
    assert.ok(description.length <= 1024);
    assert.ok(text.startsWith(`---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n`));
    for (const path of ['/auth.md', '/sealing.md', '/openapi.json'])
      assert.ok(text.includes(site + path), path);
  }
});

test('llms.txt leads to Markdown that a reader takes whole, and the site map to pages alone', async () => {
  const { text } = await get('/llms.txt');
  const linked = [...text.matchAll(/\]\((\S+)\)/g)].map(([, address = '']) => address.slice(site.length));
  assert.ok(linked.length > 10);
  for (const path of linked) {
    const document = await get(path);
    assert.match(String(document.headers['content-type']), /^text\/markdown/, path);
    assert.ok(document.text.length < MAX_CHARACTERS, path);
  }
  const { text: map } = await get('/sitemap.xml');
  const pages = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) =>
    address.slice(site.length),
  );
  for (const path of pages) {
    const { headers } = await get(path, { headers: browserHeaders });
    assert.match(String(headers['content-type']), /^text\/html/, path);
    assert.ok(linked.includes(path === '/' ? '/index.md' : `${path}.md`), path);
  }
});

test('robots.txt excludes the confidential pages', async () => {
  const { text } = await get('/robots.txt');
  for (const path of ['/inquiry', '/case', '/api', '/oauth2', '/agents'])
    assert.match(text, new RegExp(`^Disallow: ${path}$`, 'm'));
  assert.match(text, new RegExp(`^Sitemap: ${site}/sitemap.xml$`, 'm'));
  const { text: map } = await get('/sitemap.xml');
  assert.doesNotMatch(map, /:\d+\/(?:inquiry|case)|session/);
  for (const [, address = ''] of map.matchAll(/<loc>([^<]+)<\/loc>/g)) {
    const page = await get(address.slice(site.length) || '/', { headers: browserHeaders });
    assert.doesNotMatch(page.text, /content="noindex"/, address);
  }
});

const chapters = await Promise.all(
  CHAPTERS.map(async ({ path }) => ({ path, ...(await get(path, { headers: browserHeaders })) })),
);

test('the index of the reference leads to every operation and event, and so does its anchor of old', async () => {
  const { text } = await get('/docs', { headers: browserHeaders });
  const { json } = await get('/openapi.json');
  const paths = json['paths'] as Record<string, Record<string, { operationId: string }>>;
  for (const [path, item] of Object.entries(paths))
    for (const [method, { operationId: id }] of Object.entries(item)) {
      const [, page = ''] = new RegExp(`<li id="${id}"><a href="([^"#]+)#${id}">`).exec(text) ?? [];
      const chapter = chapters.find((each) => each.path === page);
      assert.ok(chapter, id);
      assert.ok(chapter.text.includes(`<article id="${id}">`), id);
      for (const shown of [text, chapter.text])
        assert.ok(shown.includes(`<span class="code">${method.toUpperCase()} ${path}</span>`), path);
    }
  for (const type of Object.keys(json['webhooks'] as object))
    assert.ok(text.includes(`<a href="/docs/webhooks#${type}">`), type);
  for (const id of ['operations', 'service', 'payments', 'cases', 'contact', 'callback'])
    assert.ok(text.includes(` id="${id}"`), id);
});

test('a page of the reference tells every field, state and error, and leads only to what is there', async () => {
  for (const { path, status, text } of chapters) {
    assert.equal(status, 200, path);
    assert.doesNotMatch(text, /<td data-label="About"><\/td>|<td data-label="Type">(?:any|undefined)/, path);
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
    for (const [, id = ''] of text.matchAll(/href="#([^"]+)"/g)) assert.ok(ids.has(id), `${path}#${id}`);
    const links = new Set([...text.matchAll(/href="(\/[^"#]*)"/g)].map(([, link = '']) => link));
    for (const link of links)
      assert.equal((await get(link, { headers: { accept: '*/*' } })).status, 200, link);
  }
  const [cases = ''] = chapters.flatMap(({ path, text }) => (path === '/docs/cases' ? [text] : []));
  for (const state of CASE_STATES) assert.ok(cases.includes(`<span class="code">${state}</span>`), state);
  assert.match(
    cases,
    /files\[\]\.kind|<span class="code">purge_at<\/span><\/th><td[^>]*>string \(date-time\) or null/,
  );
  assert.match(
    cases,
    /<a href="\/problems\/case_unknown">[\s\S]*?&quot;code&quot;: &quot;case_unknown&quot;/,
  );
});
