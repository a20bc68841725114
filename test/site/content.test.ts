/** The operator's own texts: what is shown of them, which files stop the start, and the versions of the terms. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { recordTermsInForce } from '#cases/intake/terms.ts';
import { buildPlaceholderValues } from '#content/placeholders.ts';
import { createTerms, loadSiteContent } from '#content/site-content.ts';
import { ENGLISH } from '#language/languages.ts';
import { readConfig } from '#platform/config/config.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { buildTestApp } from '#test/test-app.ts';

const DEFAULTS = fileURLToPath(new URL('../../content/', import.meta.url));
const folder = await createDataFolder({ after });
const env = { CONTENT_DIR: folder };

test('without an operator the pages say that this is a test site', async (t) => {
  const { get } = await buildTestApp(t);
  for (const path of ['/terms', '/about']) assert.match((await get(path)).text, /this is a test site/);
});

test('the operator is named in the texts, e-mail by e-mail', async (t) => {
  const { get } = await buildTestApp(t, {
    env: {
      OPERATOR_NAME: 'A*B*C_D_ <b>& [Sons](https://evil.example)',
      OPERATOR_ADDRESS: '1 Example Street',
      OPERATOR_LAW: 'Ireland',
    },
  });
  for (const path of ['/terms', '/about']) {
    const { text } = await get(path);
    assert.ok(text.includes('A*B*C_D_ &lt;b&gt;&amp; [Sons](https://evil.example)'), path);
    assert.doesNotMatch(text, /\{\{|test site/);
    assert.match(text, /The law of Ireland applies/);
  }
});

test('the sample is marked as made up, whatever its file says', async (t) => {
  await copyDefaults();
  await writeFile(
    join(folder, 'sample.md'),
    '# A real case\n\nJane Doe did it.\n\n<script>alert(1)</script>\n',
  );
  const { get } = await buildTestApp(t, { env });
  const { text } = await get('/sample');
  assert.match(text, /This is an example\.[\s\S]*Jane Doe/);
  assert.match(text, /&lt;script&gt;/);
});

test('a heading can be named, and links lead to our own pages', async (t) => {
  const { get } = await buildTestApp(t);
  assert.match((await get('/refunds')).text, /<h2 id="late">If we are late<\/h2>/);
  assert.match((await get('/questions')).text, /<a href="\/refunds#late"/);
});

test('the card of each service lists what the operator says that it contains', async (t) => {
  await copyDefaults();
  await writeFile(
    join(folder, 'what-you-get.md'),
    '# W\n\n## T {#trace}\n\n- One *name*\n- <b>\n\n## D {#dossier}\n* [A call](/about)\n\n## S {#deep-sweep} \r\n+ All\r\n',
  );
  const { get } = await buildTestApp(t, { env });
  const cards = (await get('/')).text.match(/<li class="tier">[\s\S]*?<form/g) ?? [];
  assert.deepEqual(
    cards.map((card) => [...card.matchAll(/<li>(.*?)<\/li>/g)].map(([, item]) => item)),
    [['One name', '&lt;b&gt;'], ['A call'], ['All']],
  );
});

type Spoil = readonly [name: string, file: string, content: string | Uint8Array | null, fault: RegExp];
const spoils: readonly Spoil[] = [
  ['a missing file', 'about.md', null, /about\.md: the file is missing/],
  ['an empty file', 'about.md', ' \n', /about\.md: the file is empty/],
  ['a file that is not UTF-8', 'terms.md', Buffer.from('# T\xe9rms', 'latin1'), /terms\.md: .* not UTF-8/],
  ['a file that is too large', 'terms.md', `# T\n${'x'.repeat(66_000)}`, /terms\.md: .* larger than 64 KiB/],
  ['a file without a title', 'questions.md', 'Hello', /questions\.md: its first line is not "# Title"/],
  ['an unknown placeholder', 'terms.md', '# T\n\n{{operator}}', /terms\.md: \{\{operator\}\} is not known/],
  ['a name that every object has', 'terms.md', '# T\n\n{{constructor}}', /\{\{constructor\}\} is not known/],
  ['an unclosed placeholder', 'terms.md', '# T\n\n{{site_name}', /terms\.md: a placeholder is not whole/],
  [
    'refunds without a rule for late cases',
    'refunds.md',
    '# R\n\n## A {#declined}\n\nx\n\n## B {#withdrawn}\n\nx\n\n## C {#opened}\n\nx',
    /\{#late\}/,
  ],
  [
    'a service without a list of what it contains',
    'what-you-get.md',
    '# W\n\n## T {#trace}\n\n- x\n\n## D {#dossier}\n\nx\n\n## S {#deep-sweep}\n\n- x',
    /what-you-get\.md: no list follows a heading that ends with \{#dossier\}/,
  ],
  ['a helpline without its source', 'helplines.txt', 'Nowhere | Police | 1', /helplines\.txt: line 1/],
  [
    'a helpline whose source would break its link',
    'helplines.txt',
    'Nowhere | Police | 1 | https://police.example/a) b',
    /helplines\.txt: line 1/,
  ],
];
for (const [name, file, content, fault] of spoils)
  test(`${name} stops the start, and is named`, async () => {
    await copyDefaults();
    if (content === null) await rm(join(folder, file));
    else await writeFile(join(folder, file), content);
    await assert.rejects(loadSiteContent(readConfig(env)), {
      name: 'ProgramError',
      message: fault,
      exitCode: 78,
    });
  });

const previous = createTerms('# Previous terms\n\nOne promise.');

test('each text that was in force stays at its address, marked as an earlier one', async (t) => {
  const { get, services } = await buildTestApp(t);
  await recordTermsInForce({ ...services, terms: previous });
  const { status, text } = await get(`/terms/${previous.version}`);
  assert.equal(status, 200);
  assert.match(text, /This is an earlier version[\s\S]*One promise\./);
  assert.match(text, /<meta name="robots" content="noindex">/);
  const now = await get(`/terms/${CURRENT_TERMS}`);
  assert.match(now.text, /in force now/);
  assert.doesNotMatch(now.text, /earlier version/);
  assert.match((await get('/terms')).text, new RegExp(`/terms/${CURRENT_TERMS}`));
  for (const version of ['0000000000000000', 'x', '%00', `${previous.version}/`, "' or 1=1"])
    assert.equal((await get(`/terms/${encodeURI(version)}`)).status, 404, version);
});

test('programs find the version with the prices, and an example without a fixed list in the description', async (t) => {
  const { get } = await buildTestApp(t);
  const pricing = JSON.parse((await get('/api/pricing')).text) as Record<string, unknown>;
  assert.equal(pricing['terms_version'], CURRENT_TERMS);
  assert.equal((await get(new URL(String(pricing['terms_url'])).pathname)).status, 200);
  const described = /"terms_version":\{[^}]*\}/g;
  for (const [schema] of (await get('/openapi.json')).text.matchAll(described))
    assert.doesNotMatch(schema, /"enum"|"const"/);
});

test('the guide to the texts names every placeholder, and no other', () => {
  const guide = readFileSync(new URL('../../content/README.md', import.meta.url), 'utf8');
  const named = [...guide.matchAll(/`\{\{(\w+)\}\}`/g)].map(([, name]) => name!);
  const known = Object.keys(buildPlaceholderValues(readConfig({}), [], ENGLISH));
  assert.deepEqual([...new Set(named)].filter((name) => name !== 'name').toSorted(), known.toSorted());
});

async function copyDefaults(): Promise<void> {
  await cp(DEFAULTS, folder, { recursive: true });
}
