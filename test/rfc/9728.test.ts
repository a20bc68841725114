/** RFC 9728: the API describes itself as a protected resource, and its refusals point to the description. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { processResourceDiscoveryResponse, resourceDiscoveryRequest } from 'oauth4webapi';
import { startOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const { origin, get } = testApp;

test('a strict client discovers the site and the API as resources', async () => {
  for (const resource of [origin, `${origin}/api`]) {
    const address = new URL(resource);
    const answer = await resourceDiscoveryRequest(address);
    const { resource: named, ...found } = (await answer.clone().json()) as Record<string, unknown>;
    assert.equal(named, resource);
    await processResourceDiscoveryResponse(address, answer);
    assert.deepEqual(found, {
      resource_name: 'Inquiry Office',
      resource_documentation: `${origin}/docs`,
      authorization_servers: [origin],
      scopes_supported: ['case:read', 'case:write', 'contact:write', 'pricing:read'],
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA'],
      dpop_bound_access_tokens_required: false,
    });
  }
});

test('a request without a token gets the metadata address of what was called and no error code', async () => {
  const { status, headers } = await get('/api/orders');
  assert.equal(status, 401);
  const [bearer, dpop, ...rest] = String(headers['www-authenticate']).split(/, (?=Bearer |DPoP )/);
  assert.deepEqual(rest, []);
  const metadata = `${origin}/.well-known/oauth-protected-resource/api`;
  assert.equal(bearer, `Bearer scope="case:write", resource_metadata="${metadata}"`);
  assert.equal(dpop, `DPoP algs="ES256 Ed25519 EdDSA", scope="case:write", resource_metadata="${metadata}"`);
  const { pathname } = new URL(/resource_metadata="([^"]+)"/.exec(bearer ?? '')?.[1] ?? '');
  assert.equal((await get(pathname)).json['resource'], `${origin}/api`);
});

test('what is outside the API is challenged for the site', async () => {
  const { status, headers } = await get('/hcgi/platform/api/collections/users/auth-refresh');
  assert.equal(status, 401);
  assert.match(
    String(headers['www-authenticate']),
    new RegExp(`resource_metadata="${origin}/.well-known/oauth-protected-resource"`),
  );
});

test('every resource that the server names has a metadata document of its own', async () => {
  const { json } = await get('/.well-known/oauth-authorization-server');
  const resources = json['protected_resources'] as string[];
  assert.deepEqual(resources, [origin, `${origin}/api`, `${origin}/mcp`]);
  for (const resource of resources) {
    const path = `/.well-known/oauth-protected-resource${new URL(resource).pathname.replace(/\/$/, '')}`;
    assert.equal((await get(path)).json['resource'], resource);
  }
  assert.equal((await get('/.well-known/oauth-protected-resource/other')).status, 404);
});

test('the API may have another base path', async (t) => {
  const other = await startOAuthTestApp(t, { env: { API_PATH: '/v/api' } });
  const { json } = await other.get('/.well-known/oauth-protected-resource/v/api');
  assert.equal(json['resource'], `${other.origin}/v/api`);
  assert.equal((await other.get('/v/api/health')).status, 200);
  assert.equal((await other.get('/api/health')).status, 404);
  const { headers } = await other.get('/v/api/orders');
  assert.match(
    String(headers['www-authenticate']),
    new RegExp(`resource_metadata="${other.origin}/.well-known/oauth-protected-resource/v/api"`),
  );
});
