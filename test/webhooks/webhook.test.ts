/** A client sets, changes, tests and removes its webhook; no other can, and no target may be inside a network. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { approveRegistration, rotateClientSecret } from '#clients/registration-decision.ts';
import { setWebhook } from '#clients/webhook.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { SCOPES } from '#platform/scopes.ts';
import { updateClient } from '#store/clients/clients.ts';
import { findClientWebhook } from '#store/clients/webhook-ciphertexts.ts';
import { createEmailReader, registerSampleAgent } from '#test/agents/sample-registration.ts';
import { assertProblem } from '#test/api/api-testbed.ts';
import { createAgentForAddress } from '#test/api/people.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { clientCredentialsForm } from '#test/oauth/oauth-test-app.ts';
import { startEventReceiver } from './receiver.ts';
import { names, PUBLIC_ADDRESS, REFUSED_TARGETS, resolveHost } from './refused-targets.ts';
import { openWebhookTestbed } from './webhook-testbed.ts';

const cleanUp = withReverseCleanup({ after });
const testbed = await openWebhookTestbed(cleanUp, { resolveHost });
const strict = await openWebhookTestbed(cleanUp, { resolveHost, allowLoopback: false });
const { store } = testbed;
const receiver = await startEventReceiver(cleanUp);

test('a webhook is set, shown without its secret, changed and removed', async () => {
  const agent = await testbed.createAgent();
  assertProblem(await agent.request('GET', '/callback'), 404, 'not_found');
  const set = await agent.request('PUT', '/callback', { url: 'https://agent.example/events' });
  assert.equal(set.status, 201, set.text);
  assert.match(String(set.json['secret']), /^whsec_[A-Za-z0-9+/]{43}=$/);
  const shown = await agent.request('GET', '/callback');
  const today = new Date(testbed.now()).toISOString().slice(0, 10);
  assert.deepEqual(shown.json, { url: 'https://agent.example/events', created_on: today });

  const changed = await agent.request('PUT', '/callback', { url: 'https://agent.example/others' });
  assert.deepEqual([changed.status, changed.json['secret']], [200, undefined], 'the secret stays');
  const rotation = { url: 'https://agent.example/others', rotate_secret: true };
  const rotated = await agent.request('PUT', '/callback', rotation);
  assert.equal(rotated.status, 200);
  assert.match(String(rotated.json['secret']), /^whsec_/);
  assert.notEqual(rotated.json['secret'], set.json['secret']);

  assert.equal((await agent.request('DELETE', '/callback')).status, 204);
  assertProblem(await agent.request('GET', '/callback'), 404, 'not_found');
  assertProblem(await agent.request('POST', '/callback/test'), 404, 'not_found');
  assert.equal((await agent.request('DELETE', '/callback')).status, 204, 'removing twice is no error');
  assert.deepEqual(await store.records.selectFrom('webhooks').selectAll().execute(), []);
});

test('the token of a person is refused, before the body is looked at', async () => {
  const client = await testbed.oauth.createClient();
  const person = await createAgentForAddress(testbed, client, 'ana@example.org');
  for (const [method, path, body] of [
    ['GET', '/callback'],
    ['DELETE', '/callback'],
    ['POST', '/callback/test'],
    ['PUT', '/callback', { wrong: true }],
  ] as const) {
    const answer = await person.request(method, path, body);
    assertProblem(answer, 403, 'client_token_required');
    assert.match(String(answer.json['detail']), /client_credentials/);
  }
});

test('the contact is told when a webhook was set, moved, given another secret or removed, and of nothing else', async () => {
  const readEmails = createEmailReader(testbed);
  const { id, poll } = await registerSampleAgent(testbed.get, { contact: 'owner@agent.example' });
  await approveRegistration(testbed.services, id, { scopes: SCOPES, grants: ['client_credentials'] }, null);
  const { json } = await poll();
  const client = { clientId: String(json['client_id']), clientSecret: String(json['client_secret']) };
  const { json: token } = await testbed.oauth.requestToken(client, clientCredentialsForm);
  const agent = testbed.createAgentWithToken(client, `Bearer ${token['access_token']}`);
  const countEmails = async () => {
    const emails = (await readEmails()).filter(({ subject }) => subject.includes('setting of your program'));
    for (const { to, text } of emails) {
      assert.equal(to, 'owner@agent.example');
      assert.doesNotMatch(text, /agent\.example|whsec_|Reader/);
      assert.match(text, /New credentials leave the webhook as it is: [^.]+ "rotate_secret"/);
    }
    return emails.length;
  };
  const one = { url: 'https://agent.example/one' };
  const other = { url: 'https://agent.example/other' };
  const steps: readonly [method: string, body: object | undefined, emails: number][] = [
    ['PUT', one, 1],
    ['PUT', one, 1],
    ['PUT', other, 2],
    ['PUT', { ...other, rotate_secret: true }, 3],
    ['DELETE', undefined, 4],
    ['DELETE', undefined, 4],
  ];
  for (const [method, body, emails] of steps) {
    assert.ok((await agent.request(method, '/callback', body)).status < 300);
    assert.equal(await countEmails(), emails, method);
  }
  await agent.request('PUT', '/callback', one);
  await rotateClientSecret(testbed.services, id, null);
  const { services } = testbed;
  assert.ok(await findClientWebhook(store.records, services.keyring, client.clientId), 'as the e-mail says');
});

test('one client sees and removes nothing of another', async () => {
  const [one, other] = [await testbed.createAgent(), await testbed.createAgent()];
  await testbed.setWebhook(one, 'https://agent.example/one');
  assertProblem(await other.request('GET', '/callback'), 404, 'not_found');
  assert.equal((await other.request('DELETE', '/callback')).status, 204);
  assert.equal((await one.request('GET', '/callback')).json['url'], 'https://agent.example/one');
});

test('a target that is not an https address on the public internet is refused', async () => {
  const agent = await testbed.createAgent();
  for (const url of REFUSED_TARGETS) {
    const answer = await agent.request('PUT', '/callback', { url });
    assertProblem(answer, 422, 'validation_failed');
    assert.equal((answer.json['errors'] as { pointer: string }[])[0]?.pointer, '/url', url);
  }
  assertProblem(await agent.request('GET', '/callback'), 404, 'not_found');
});

test('loopback is a target only where the configuration allows it', async () => {
  const agent = await strict.createAgent();
  const hosts = ['localhost', '127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]'];
  for (const host of hosts) {
    const url = `https://${host}:${receiver.port}/`;
    assertProblem(await agent.request('PUT', '/callback', { url }), 422, 'validation_failed');
  }
  const allowed = await testbed.createAgent();
  const { status } = await allowed.request('PUT', '/callback', { url: `https://127.1:${receiver.port}/` });
  assert.equal(status, 201);
});

test('a test event arrives at once, signed so that an independent library accepts it, a new secret from then on', async () => {
  const agent = await testbed.createAgent();
  const secret = await testbed.setWebhook(agent, receiver.url);
  const { status, json } = await agent.request('POST', '/callback/test');
  assert.equal(status, 202);
  await testbed.send();
  const event = receiver.received.find(({ headers }) => headers['webhook-id'] === json['id']);
  assert.ok(event);
  assert.match(event.body, /^\{"type":"callback\.test","timestamp":"[^"]+","data":\{"id":"[\w-]{22}"\}\}$/);
  const verifier = new Webhook(secret);
  verifier.verify(event.body, event.headers);
  assert.throws(() => verifier.verify(event.body.replace('test', 'tost'), event.headers), /signature/);
  const stale = String(Number(event.headers['webhook-timestamp']) - 600);
  assert.throws(() => verifier.verify(event.body, { ...event.headers, 'webhook-timestamp': stale }));
  assert.throws(() => new Webhook('whsec_c2VjcmV0').verify(event.body, event.headers), /signature/);
  assert.equal((await testbed.readDelivery(agent)).state, 'delivered');
  const rotation = { url: receiver.url, rotate_secret: true };
  const rotated = await agent.request('PUT', '/callback', rotation);
  await agent.request('POST', '/callback/test');
  await testbed.send();
  const { body, headers } = receiver.received.at(-1)!;
  new Webhook(String(rotated.json['secret'])).verify(body, headers);
  assert.throws(() => verifier.verify(body, headers));
});

test('a fault after the webhook was stored does not lose its secret', async () => {
  const { client } = await testbed.createAgent();
  let transactions = 0;
  const failingStore: typeof store = {
    ...store,
    transaction: async (work) => {
      transactions += 1;
      if (transactions > 1) throw new Error('the store is away');
      return await store.transaction(work);
    },
  };
  const services = { ...testbed.services, store: failingStore };
  const stored = await setWebhook(services, client.clientId, { url: receiver.url, rotateSecret: false });
  assert.match(String(stored.secret), /^whsec_/);
  assert.equal(stored.row.state, 'marking', 'the sweep goes on');
});

test('a name that leads to a private address after it was set gets nothing', async (t) => {
  const inside = await startEventReceiver(t, { host: 'moving.example' });
  names['moving.example'] = [PUBLIC_ADDRESS];
  const agent = await strict.createAgent();
  await strict.setWebhook(agent, inside.url);
  names['moving.example'] = ['127.0.0.1'];
  await agent.request('POST', '/callback/test');
  await strict.send();
  assert.deepEqual(inside.received, []);
  assert.match((await strict.readDelivery(agent)).detail, /^The host is not on the public internet/);
});

test('the connection goes to the very address that was checked, under the name of the target', async (t) => {
  const asked: string[] = [];
  const named = await startEventReceiver(t, { host: 'pinned.example' });
  const resolveTwice = async (host: string) => {
    asked.push(host);
    // From the third lookup on, the name leads to another address.
    return asked.length <= 2 ? ['127.0.0.1'] : ['127.0.0.2'];
  };
  const bed = await openWebhookTestbed(t, { resolveHost: resolveTwice });
  await bed.tryWebhook(named.url);
  assert.equal(named.received.length, 1);
  assert.deepEqual(asked, ['pinned.example', 'pinned.example'], 'once when it was set, once to send');
});

test('a redirect is a failure and is not followed', async (t) => {
  const elsewhere = await startEventReceiver(t);
  const moved = await startEventReceiver(t);
  for (const status of [301, 302, 303, 307, 308]) {
    moved.answerWith((response) => void response.writeHead(status, { location: elsewhere.url }).end());
    const agent = await testbed.tryWebhook(moved.url);
    assert.equal((await testbed.readDelivery(agent)).detail, `The receiver answered ${status}.`);
  }
  assert.deepEqual(elsewhere.received, []);
});

test('a certificate that is not trusted, or is for another name, gets nothing', async (t) => {
  const untrusted = await startEventReceiver(t, { isTrusted: false });
  const foreign = await startEventReceiver(t, { host: 'foreign.example' });
  for (const url of [untrusted.url, `https://localhost:${foreign.port}/`]) {
    const { detail } = await testbed.readDelivery(await testbed.tryWebhook(url));
    assert.equal(detail, 'The certificate of the receiver is not valid.');
  }
  assert.deepEqual([untrusted.received, foreign.received], [[], []]);
});

test('a receiver that has gone ends the webhook', async (t) => {
  const gone = await startEventReceiver(t);
  gone.answerWith((response) => void response.writeHead(410).end());
  const agent = await testbed.tryWebhook(gone.url);
  assert.equal(gone.received.length, 1);
  assertProblem(await agent.request('GET', '/callback'), 404, 'not_found');
});

test('a failure is tried again with the same id and a new time', async (t) => {
  const failing = await startEventReceiver(t);
  failing.answerWith((response) => void response.writeHead(500).end('x'.repeat(1_000_000)));
  await testbed.tryWebhook(failing.url);
  testbed.moveClock(2 * MINUTE_MS);
  await testbed.send();
  assert.equal(failing.received.length, 2);
  const [first, second] = failing.received.map(({ headers }) => headers);
  assert.equal(first?.['webhook-id'], second?.['webhook-id']);
  assert.notEqual(first?.['webhook-timestamp'], second?.['webhook-timestamp']);
  assert.equal(failing.received[0]?.body, failing.received[1]?.body);
});

test('a suspended client is told nothing', async () => {
  const agent = await testbed.createAgent();
  await testbed.setWebhook(agent, receiver.url);
  const before = receiver.received.length;
  await agent.request('POST', '/callback/test');
  await store.transaction((records) => updateClient(records, agent.client.clientId, { status: 'suspended' }));
  await testbed.send();
  assert.equal(receiver.received.length, before);
});

test('a webhook is changed and tried only so often', async (t) => {
  const limited = await openWebhookTestbed(t, { resolveHost, env: { RATE_LIMIT: 'on' } });
  const agent = await limited.createAgent();
  await limited.setWebhook(agent, 'https://agent.example/events');
  const askOften = async (method: string, path: string, body?: object) => {
    for (let asked = 0; asked < 20; asked += 1)
      if ((await agent.request(method, path, body)).status === 429) return true;
    return false;
  };
  assert.ok(await askOften('POST', '/callback/test'));
  assert.ok(await askOften('PUT', '/callback', { url: 'https://agent.example/events' }));
});
