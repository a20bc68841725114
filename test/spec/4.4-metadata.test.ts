/** Specification 4.4: the five documents on the site, over HTTPS and for anyone. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { SCOPES } from '#platform/scopes.ts';
import { buildTestApp } from '#test/test-app.ts';

const { get, port } = await buildTestApp({ after });
const GRANTS = ['authorization_code', 'client_credentials', 'refresh_token'];
const site = `https://localhost:${port}`;

test('the authorization server describes itself', async () => {
  const { status, json } = await get('/.well-known/oauth-authorization-server');
  assert.equal(status, 200);
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'])
    assert.ok(String(json[name]).startsWith(`${site}/`), name);
  assert.deepEqual(new Set(json['grant_types_supported'] as string[]), new Set(GRANTS));
  for (const scope of SCOPES) assert.ok((json['scopes_supported'] as string[]).includes(scope), scope);
  assert.equal(typeof json['agent_auth'], 'object');
});

test('the protected resource tells the scopes that it accepts', async () => {
  const { status, json } = await get('/.well-known/oauth-protected-resource');
  assert.equal(status, 200);
  assert.deepEqual(new Set(json['scopes_supported'] as string[]), new Set(SCOPES));
  assert.deepEqual(json['authorization_servers'], [site]);
});

test('the instructions for agents are text to read', async () => {
  const { status, headers, text } = await get('/auth.md');
  assert.equal(status, 200);
  assert.match(headers['content-type'] ?? '', /^text\/markdown\b/);
  for (const field of ['client_name', 'contact', 'credential_types', 'redirect_uris'])
    assert.ok(text.includes(field), field);
});

test('the description of the API names the three operations', async () => {
  const { status, json } = await get('/openapi.json');
  assert.equal(status, 200);
  assert.match(String(json['openapi']), /^3\.1\./);
  for (const path of ['/health', '/stripe/status', '/stripe/checkout'])
    assert.ok(path in (json['paths'] as object), path);
});

test('the catalogue is a linkset that leads to the description', async () => {
  const { status, headers, text } = await get('/.well-known/api-catalog');
  assert.equal(status, 200);
  assert.match(headers['content-type'] ?? '', /^application\/linkset\+json\b/);
  assert.ok(text.includes(`${site}/openapi.json`));
});
