/** Claims at the address of the specification, for OAuth clients and for the PocketBase client. */
import assert from 'node:assert/strict';
import test from 'node:test';
import PocketBase from 'pocketbase';
import { SCOPES } from '#platform/scopes.ts';
import { buildRefreshGrantForm, CLAIMS_PATH, clientCredentialsForm } from './oauth-test-app.ts';
import { testApp } from './shared-test-app.ts';

const { getClaims, obtainTokens, requestToken } = testApp;
const agent = await testApp.createClient();

test('a person who ticked it gives the address away, by GET and by POST, also after a refresh', async () => {
  const first = await obtainTokens(agent, { address: 'Someone@Example.com', sharesEmail: true });
  const { access_token: token } = (await requestToken(agent, buildRefreshGrantForm(first.refresh_token)))
    .json;
  const email = 'someone@example.com';
  for (const method of ['GET', 'POST']) {
    const headers = { authorization: `Bearer ${token}` };
    const { status, json, headers: sent } = await testApp.get(CLAIMS_PATH, { method, headers });
    const { sub } = json;
    assert.match(String(sub), /^[\w-]{22}$/);
    assert.deepEqual(
      [status, json],
      [
        200,
        {
          sub,
          client_id: agent.clientId,
          scope: 'case:read case:write',
          email,
          email_verified: true,
          token,
          record: { id: sub, collectionId: 'users', collectionName: 'users', verified: true, email },
        },
      ],
    );
    assert.equal(sent['cache-control'], 'no-store');
  }
});

test('without the tick no claim tells the address, whatever the scope', async () => {
  for (const scope of ['pricing:read', SCOPES.join(' ')]) {
    const form = await testApp.obtainCodeForm(agent, { scope }, { address: 'silent@example.com' });
    const { access_token } = (await requestToken(agent, form)).json;
    const { json, text } = await getClaims(access_token);
    const { sub } = json;
    assert.deepEqual(json, {
      sub,
      client_id: agent.clientId,
      scope,
      token: access_token,
      record: { id: sub, collectionId: 'users', collectionName: 'users', verified: false },
    });
    assert.doesNotMatch(text, /silent|email/);
  }
});

test('the tick holds for one consent: neither an earlier nor a later one of the same person has it', async () => {
  const address = 'once@example.com';
  const tokens = [];
  for (const sharesEmail of [false, true, false])
    tokens.push(await obtainTokens(agent, { address, sharesEmail }));
  const claims = await Promise.all(tokens.map(({ access_token }) => getClaims(access_token)));
  assert.deepEqual(
    claims.map(({ json }) => json['email']),
    [undefined, address, undefined],
  );
});

test('a client’s own token has the client as its subject, and no e-mail address', async () => {
  const { json } = await requestToken(agent, { ...clientCredentialsForm, scope: 'pricing:read' });
  const { json: claims } = await getClaims(json['access_token']);
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
    const { access_token } = await obtainTokens(client, { address });
    const { json } = await getClaims(access_token);
    subjects.add(json['sub']);
  }
  assert.equal(subjects.size, 1);
});

test('PocketBase’s own client can refresh here, with an address or without', async () => {
  for (const sharesEmail of [true, false]) {
    const person = { address: 'pocket@example.com', sharesEmail };
    const { access_token } = await obtainTokens(agent, person);
    const client = new PocketBase(`${testApp.origin}/hcgi/platform`);
    client.authStore.save(access_token);
    const { token, record } = await client.collection('users').authRefresh();
    assert.equal(token, access_token);
    assert.equal(record['email'], sharesEmail ? 'pocket@example.com' : undefined);
    assert.equal(record['verified'], sharesEmail);
    assert.equal(client.authStore.token, access_token);
    assert.equal(client.authStore.record?.id, record.id);
  }
});

test('without a token, with garbage or with a revoked token no claims are returned', async () => {
  assert.equal((await testApp.get(CLAIMS_PATH)).status, 401);
  const { json } = await requestToken(agent, clientCredentialsForm);
  const token = String(json['access_token']);
  await testApp.revokeToken(agent, token);
  for (const authorization of [token, `Bearer ${token}`, 'garbage', 'Bearer garbage', 'Basic eDp5']) {
    const answer = await testApp.get(CLAIMS_PATH, { headers: { authorization } });
    assert.equal(answer.status, 401, authorization);
    assert.match(String(answer.headers['www-authenticate']), /^Bearer /);
  }
});

test('only here is a token accepted without its scheme', async () => {
  const { json } = await requestToken(agent, clientCredentialsForm);
  const authorization = String(json['access_token']);
  assert.equal((await testApp.get(CLAIMS_PATH, { headers: { authorization } })).status, 200);
  assert.equal((await testApp.requestOrders(authorization)).status, 401);
});
