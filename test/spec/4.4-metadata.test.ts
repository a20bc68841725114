/** Specification 4.4: the five documents on the site, over HTTPS and for anyone, and what they name. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { SCOPES } from '#platform/scopes.ts';
import { buildTestApp } from '#test/test-app.ts';

const { get, port } = await buildTestApp({ after });
const site = `https://localhost:${port}`;

test('the authorization server describes itself', async () => {
  const { status, json } = await get('/.well-known/oauth-authorization-server');
  assert.equal(status, 200);
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'])
    assert.ok(String(json[name]).startsWith(`${site}/oauth2/`), name);
  const grants = ['authorization_code', 'client_credentials', 'refresh_token'];
  assert.deepEqual(json['grant_types_supported'], grants);
  assert.deepEqual(json['scopes_supported'], ['case:read', 'case:write', 'contact:write', 'pricing:read']);
  assert.deepEqual(json['code_challenge_methods_supported'], ['S256']);
  assert.equal(json['revocation_endpoint'], `${site}/hcgi/platform/api/oauth2/revoke`);
  assert.equal(typeof json['agent_auth'], 'object');
});

test('the protected resource tells the scopes that it accepts', async () => {
  const { status, json } = await get('/.well-known/oauth-protected-resource');
  assert.deepEqual([status, json['scopes_supported']], [200, SCOPES]);
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
  const paths = Object.keys(json['paths'] as object);
  for (const path of ['/health', '/stripe/status', '/stripe/checkout']) assert.ok(paths.includes(path), path);
});

test('the catalogue is a linkset that leads to the description', async () => {
  const { status, headers, text } = await get('/.well-known/api-catalog');
  assert.equal(status, 200);
  assert.match(headers['content-type'] ?? '', /^application\/linkset\+json\b/);
  assert.ok(text.includes(`${site}/openapi.json`));
});
