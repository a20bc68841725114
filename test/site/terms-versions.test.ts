/** The versions of the terms, as people and programs find them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { recordTermsInForce } from '#cases/intake/terms.ts';
import { createTerms } from '#content/site-content.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { buildTestApp } from '#test/test-app.ts';

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
