/** Claims at the address of the specification, for OAuth clients and for the PocketBase client. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import PocketBase from 'pocketbase';
import { clientCredentialsForm, startOAuthTestApp } from './oauth-test-app.ts';

const PATH = '/hcgi/platform/api/collections/users/auth-refresh';

const testApp = await startOAuthTestApp({ after });
const agent = await testApp.createClient();

test('a user’s token returns the user’s claims, by GET and by POST, whatever its scope', async () => {
  const { access_token } = await testApp.obtainTokens(agent, { address: 'Someone@Example.com' });
  for (const method of ['GET', 'POST']) {
    const headers = { authorization: `Bearer ${access_token}` };
    const { status, json, headers: sent } = await testApp.get(PATH, { method, headers });
    assert.equal(status, 200);
    const { sub, record, ...rest } = json;
    assert.match(String(sub), /^[\w-]{22}$/);
    assert.deepEqual(rest, {
      client_id: agent.clientId,
      scope: 'case:read case:write',
      email: 'someone@example.com',
      email_verified: true,
      token: access_token,
    });
    assert.deepEqual(record, {
      id: sub,
      collectionId: 'users',
      collectionName: 'users',
      verified: true,
      email: 'someone@example.com',
    });
    assert.equal(sent['cache-control'], 'no-store');
  }
});

test('a client’s own token has the client as its subject, and no e-mail address', async () => {
  const { json } = await testApp.requestToken(agent, { ...clientCredentialsForm, scope: 'pricing:read' });
  const headers = { authorization: `Bearer ${json['access_token']}` };
  const { json: claims } = await testApp.get(PATH, { headers });
  assert.deepEqual(claims, {
    sub: agent.clientId,
    client_id: agent.clientId,
    scope: 'pricing:read',
    token: json['access_token'],
    record: { id: agent.clientId, collectionId: 'users', collectionName: 'users', verified: false },
  });
});

test('a person has the same subject for every client and every sign-in', async () => {
  const other = await testApp.createClient();
  const subjects = new Set<unknown>();
  for (const [client, address] of [
    [agent, 'same@example.com'],
    [other, ' SAME@example.COM '],
  ] as const) {
    const { access_token } = await testApp.obtainTokens(client, { address });
    const { json } = await testApp.get(PATH, { headers: { authorization: `Bearer ${access_token}` } });
    subjects.add(json['sub']);
  }
  assert.equal(subjects.size, 1);
});

test('PocketBase’s own client can refresh here', async () => {
  const { access_token } = await testApp.obtainTokens(agent, { address: 'pocket@example.com' });
  const client = new PocketBase(`${testApp.origin}/hcgi/platform`);
  client.authStore.save(access_token);
  const { token, record } = await client.collection('users').authRefresh();
  assert.equal(token, access_token);
  assert.equal(record['email'], 'pocket@example.com');
  assert.equal(client.authStore.token, access_token);
  assert.equal(client.authStore.record?.id, record.id);
});

test('without a token, with garbage or with a revoked token no claims are returned', async () => {
  assert.equal((await testApp.get(PATH)).status, 401);
  const { json } = await testApp.requestToken(agent, clientCredentialsForm);
  const token = String(json['access_token']);
  await testApp.revokeToken(agent, token);
  for (const authorization of [token, `Bearer ${token}`, 'garbage', 'Bearer garbage', 'Basic eDp5']) {
    const answer = await testApp.get(PATH, { headers: { authorization } });
    assert.equal(answer.status, 401, authorization);
    assert.match(String(answer.headers['www-authenticate']), /^Bearer /);
  }
});

test('only here is a token accepted without its scheme', async () => {
  const { json } = await testApp.requestToken(agent, clientCredentialsForm);
  const authorization = String(json['access_token']);
  assert.equal((await testApp.get(PATH, { headers: { authorization } })).status, 200);
  assert.equal((await testApp.requestOrders(authorization)).status, 401);
});
