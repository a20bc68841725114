/** The document of a client: when and from where it is fetched, how long it is valid, how its faults are reported. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import test, { after } from 'node:test';
import { withReverseCleanup } from '#test/cleanup.ts';
import { startEventReceiver } from '#test/webhooks/receiver.ts';
import { REFUSED_TARGETS, resolveHost } from '#test/webhooks/refused-targets.ts';
import { assistants, startDocumentHost } from './assistants.ts';
import { startDocumentTestApp } from './document-test-app.ts';
import {
  assertOAuthRefusal,
  buildRefreshGrantForm,
  formatBasic,
  postForm,
  REVOCATION_PATH,
  startOAuthTestApp,
} from './oauth-test-app.ts';

const { documents, host, testApp, openAuthorization, requestToken, obtainTokens } =
  await startDocumentTestApp(withReverseCleanup({ after }));
const { document: good } = assistants.opencode;

test('only an authorization has a document fetched that no person has allowed', async () => {
  const unknown = documents.publish('Unknown', good);
  const fetched = documents.received.length;
  const form = { ...buildRefreshGrantForm('x'), token: 'x' };
  const basic = formatBasic({ clientId: unknown, clientSecret: 'secret' });
  for (const path of ['/oauth2/token', REVOCATION_PATH])
    for (const [headers, fields] of [
      [{}, { client_id: unknown }],
      [{}, { client_id: unknown, client_secret: 'secret' }],
      [{ authorization: basic }, {}],
    ] as [Record<string, string>, Record<string, string>][]) {
      const answer = await postForm(testApp.get, path, { ...form, ...fields }, headers);
      assertOAuthRefusal(answer, 401, 'invalid_client');
    }
  assert.equal(documents.received.length, fetched);
  assert.equal((await openAuthorization(unknown)).status, 303);
  assert.equal(documents.received.length, fetched + 1);
});

test('eight documents are fetched at once, and who asks for one more is told to wait', async (t) => {
  const fetched = documents.received.length;
  const waiting: ServerResponse[] = [];
  const allAsked = Promise.withResolvers<void>();
  t.after(documents.answerAsPublished);
  documents.answerWith((response) => {
    if (waiting.push(response) === 8) allAsked.resolve();
  });
  const publishNew = () => documents.publish(randomUUID(), good);
  const first = Array.from({ length: 8 }, () => openAuthorization(publishNew()));
  await Promise.race([allAsked.promise, Promise.all(first)]);
  const refused = await openAuthorization(publishNew());
  assert.equal(refused.status, 503, refused.text);
  assert.match(refused.text, /too many documents are being read/);
  assert.equal(refused.headers['retry-after'], '5');
  assert.equal(documents.received.length, fetched + 8);
  for (const response of waiting) response.writeHead(500).end();
  for (const { status, headers } of await Promise.all(first))
    assert.deepEqual([status, headers['retry-after']], [503, '5']);
  documents.answerAsPublished();
  assert.equal((await openAuthorization(publishNew())).status, 303);
});

test('a document that leads inside a network is not fetched, by any spelling, though its host is allowed', async (t) => {
  const loopback = ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'].map(
    (name) => `https://${name}:${documents.port}/oauth/client.json`,
  );
  const targets = [...REFUSED_TARGETS, ...loopback];
  const hosts = targets.map((target) => URL.parse(target)?.host).filter(Boolean);
  const strict = await startOAuthTestApp(t, {
    env: { CLIENT_DOCUMENT_HOSTS: hosts.join(',') },
    resolveHost,
    allowLoopback: false,
  });
  const fetched = documents.received.length;
  for (const target of targets) {
    const { status, text } = await openAuthorization(target, strict);
    // The engine accepts no other id for a client with a document.
    const isDocumentId = /^https:[^@#]+$/.test(target);
    assert.equal(status, isDocumentId ? 503 : 400, target);
    assert.match(
      text,
      isDocumentId
        ? /could not be read at .*: (The host is not on the public|The name service gave no|The port must be)/
        : /invalid_client/,
      target,
    );
  }
  assert.equal(documents.received.length, fetched);
});

test('the connection goes to the very address that was checked', async (t) => {
  const asked: string[] = [];
  const pinned = await startDocumentHost(t, 'pinned.example');
  const app = await startOAuthTestApp(t, {
    env: { CLIENT_DOCUMENT_HOSTS: pinned.host },
    resolveHost: async (name) => {
      asked.push(name);
      return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    },
  });
  const clientId = pinned.publish('Pinned', assistants.opencode.document);
  const { status, text } = await openAuthorization(clientId, app);
  assert.equal(status, 303, text);
  assert.deepEqual([asked, pinned.received.length], [['pinned.example'], 1]);
});

/** What is wrong with a document, and what its author reads about it. */
const FAULTY = {
  'client_id in the document of the client is not': {
    ...good,
    client_id: 'https://other.example/client.json',
  },
  'is no JSON object with client_id and redirect_uris': { ...good, redirect_uris: 'https://a.example/' },
  'does not have none as its token_endpoint_auth_method': {
    ...good,
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['private_key_jwt'],
  },
  'does not have authorization_code in grant_types': { ...good, grant_types: ['client_credentials'] },
  'has no redirect address that is https': {
    ...good,
    redirect_uris: ['cursor://done', 'javascript:alert(1)'],
  },
  'is longer than 5 KiB': { ...good, software_statement: 'x'.repeat(6_000) },
} as const;

test('a document that is wrong is refused with what is wrong about it', async () => {
  for (const [sentence, document] of Object.entries(FAULTY)) {
    const clientId = documents.publish(randomUUID(), document);
    const fetched = documents.received.length;
    const { status, text } = await openAuthorization(clientId);
    assert.equal(status, 400, sentence);
    assert.ok(text.includes(sentence), text);
    assert.equal(documents.received.length, fetched + 1, 'fetched once for each request');
  }
});

test('a document that cannot be read now is no fault of the client, and is looked for in one place alone', async (t) => {
  t.after(documents.answerAsPublished);
  const elsewhere = documents.publish('Elsewhere', good);
  const answers: readonly [reason: string, answer: (response: ServerResponse) => unknown][] = [
    ['it is answered with 302', (response) => response.writeHead(302, { location: elsewhere }).end()],
    ['it is answered with 403', (response) => response.writeHead(403).end()],
    ['the connection failed', (response) => response.destroy()],
    ['no answer within 3 seconds', () => undefined],
    // Cut off after the same time.
    ['the connection failed', (response) => response.writeHead(200).write('{')],
  ];
  for (const [reason, answer] of answers) {
    const clientId = documents.publish(randomUUID(), good);
    documents.answerWith((response) => void answer(response));
    const fetched = documents.received.length;
    const { status, text } = await openAuthorization(clientId);
    assert.equal(status, 503, text);
    assert.match(text, new RegExp(`could not be read at ${host}: ${reason}`));
    assert.equal(documents.received.length, fetched + 1);
  }
});

test('a document is fetched again after five minutes, or after as much of an hour as its host says', async (t) => {
  t.after(documents.answerAsPublished);
  const countFetches = async (clientId: string) => {
    const fetched = documents.received.length;
    assert.equal((await openAuthorization(clientId)).status, 303);
    return documents.received.length - fetched;
  };
  for (const [cacheControl, minutes] of [
    ['', 5],
    ['no-cache', 5],
    ['max-age=1', 5],
    ['public, max-age=600', 10],
    ['max-age=86400', 60],
  ] as const) {
    const clientId = documents.publish(randomUUID(), good);
    documents.answerWith((response) => {
      const headers = { 'content-type': 'application/json', 'cache-control': cacheControl };
      response.writeHead(200, headers).end(JSON.stringify({ ...good, client_id: clientId }));
    });
    const start = Date.now();
    assert.equal(await countFetches(clientId), 1, cacheControl);
    t.mock.timers.enable({ apis: ['Date'], now: start + minutes * 60_000 - 1 });
    assert.equal(await countFetches(clientId), 0, cacheControl);
    t.mock.timers.setTime(Date.now() + 60_000);
    assert.equal(await countFetches(clientId), 1, cacheControl);
    t.mock.timers.reset();
  }
});

test('while its host is away, a document that was read within a day is good, unless its host took it back', async (t) => {
  t.after(documents.answerAsPublished);
  const clientId = documents.publish(randomUUID(), good);
  let { refresh_token } = await obtainTokens(clientId);
  const refresh = async () => {
    const answer = await requestToken(clientId, buildRefreshGrantForm(refresh_token));
    if (answer.status === 200) refresh_token = String(answer.json['refresh_token']);
    return answer;
  };
  const waitMinutes = (minutes: number) => t.mock.timers.setTime(Date.now() + minutes * 60_000);
  const answerWithStatus = (status: number) =>
    documents.answerWith((response) => void response.writeHead(status).end());
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  for (const status of [500, 403, 302]) {
    answerWithStatus(status);
    waitMinutes(6);
    const fetched = documents.received.length;
    assert.equal((await refresh()).status, 200);
    assert.equal((await refresh()).status, 200);
    assert.equal(documents.received.length, fetched + 1, 'looked for again only after a while');
  }
  waitMinutes(24 * 60);
  assertOAuthRefusal(await refresh(), 503, 'temporarily_unavailable');
  documents.answerAsPublished();
  assert.equal((await refresh()).status, 200);
  waitMinutes(6);
  answerWithStatus(404);
  const gone = await refresh();
  assertOAuthRefusal(gone, 401, 'invalid_client');
  assert.match(gone.text, /it is answered with 404/);
  answerWithStatus(500);
  assertOAuthRefusal(await refresh(), 503, 'temporarily_unavailable');
});

test('a host whose certificate is not trusted, or is for another name, is not asked for a document', async (t) => {
  const untrusted = await startEventReceiver(t, { isTrusted: false });
  const misnamed = await startEventReceiver(t, { host: 'elsewhere.example' });
  const ports = [untrusted.port, misnamed.port];
  const hosts = ports.map((port) => `localhost:${port}`);
  const app = await startOAuthTestApp(t, { env: { CLIENT_DOCUMENT_HOSTS: hosts.join(',') } });
  for (const each of hosts) {
    const { status, text } = await openAuthorization(`https://${each}/client.json`, app);
    assert.equal(status, 503, text);
    assert.match(text, /the connection failed/);
  }
  assert.deepEqual([untrusted.received, misnamed.received], [[], []]);
});
