/** Specification 5.1: the block for agents in the metadata has exactly its keys, and its addresses answer. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { buildTestApp } from '#test/test-app.ts';

const { get, port } = await buildTestApp({ after });
const site = `https://localhost:${port}`;

test('the block has exactly its five keys', async () => {
  const { json } = await get('/.well-known/oauth-authorization-server');
  assert.deepEqual(json['agent_auth'], {
    register_uri: `${site}/auth.md`,
    supported_identity_types: ['email', 'did', 'oauth'],
    credential_types: ['bearer', 'dpop'],
    claims_endpoint: `${site}/hcgi/platform/api/collections/users/auth-refresh`,
    revocation_uri: `${site}/hcgi/platform/api/oauth2/revoke`,
  });
});

test('each of its addresses answers', async () => {
  assert.equal((await get('/auth.md')).status, 200);
  assert.equal((await get('/hcgi/platform/api/collections/users/auth-refresh')).status, 401);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const revoking = { method: 'POST', headers: form, body: 'token=x' };
  assert.equal((await get('/hcgi/platform/api/oauth2/revoke', revoking)).status, 401);
});
