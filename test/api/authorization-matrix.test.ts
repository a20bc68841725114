/** Who may do what, as one table: every operation for every kind of caller, over HTTPS. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test from 'node:test';
import { SCOPES, type Scope } from '#platform/scopes.ts';
import { updateClient } from '#store/clients/clients.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { generateProofKey, obtainBoundToken } from '#test/oauth/dpop-proof.ts';
import { listApiOperations } from './api-operations.ts';
import { openAgentCase, sealBuyerMessage, shareApiTestbed, toInlineSealedBody } from './api-testbed.ts';

/** All but two are one client with different tokens; order and case belong to the client itself, not to a person. */
const callers = [
  'no token',
  'case:read',
  'case:write',
  'contact:write',
  'pricing:read',
  'all scopes',
  'revoked',
  'suspended client',
  'other client',
  'delegated user',
  'DPoP without proof',
] as const;

type Caller = (typeof callers)[number];

/** Statuses in the order of the callers above. Withdrawing comes last, since it ends the case. */
const matrix: Readonly<Record<string, string>> = {
  'GET /health': /*                              */ '200 200 200 200 200 200 200 200 200 200 200',
  'GET /ready': /*                               */ '200 200 200 200 200 200 200 200 200 200 200',
  'GET /sealing-keys': /*                        */ '200 200 200 200 200 200 200 200 200 200 200',
  'POST /stripe/webhook': /*                     */ '400 400 400 400 400 400 400 400 400 400 400',
  'GET /pricing': /*                             */ '200 403 403 403 200 200 401 401 200 200 401',
  'GET /stripe/status': /*                       */ '200 403 403 403 200 200 401 401 200 200 401',
  'POST /stripe/checkout': /*                    */ '200 403 200 403 403 200 401 401 200 200 401',
  'GET /orders': /*                              */ '401 403 200 403 403 200 401 401 200 200 401',
  'GET /orders/:order': /*                       */ '401 403 200 403 403 200 401 401 404 404 401',
  'PUT /orders/:order/uploads/:upload/:piece': /**/ '401 403 204 403 403 204 401 401 404 404 401',
  'POST /inquiries': /*                          */ '401 403 201 403 403 201 401 401 404 404 401',
  'GET /cases': /*                               */ '401 200 403 403 403 200 401 401 200 200 401',
  'GET /cases/:case': /*                         */ '401 200 403 403 403 200 401 401 404 404 401',
  'GET /cases/:case/messages': /*                */ '401 200 403 403 403 200 401 401 404 404 401',
  'POST /cases/:case/messages': /*               */ '401 403 201 403 403 201 401 401 404 404 401',
  'GET /cases/:case/files/:file': /*             */ '401 200 403 403 403 200 401 401 404 404 401',
  'POST /cases/:case/plain': /*                  */ '401 409 403 403 403 409 401 401 404 404 401',
  'POST /cases/:case/plain/messages': /*         */ '401 403 409 403 403 409 401 401 404 404 401',
  'POST /cases/:case/plain/files/:file': /*      */ '401 409 403 403 403 409 401 401 404 404 401',
  'PUT /cases/:case/retention': /*               */ '401 403 200 403 403 200 401 401 404 404 401',
  'POST /contact': /*                            */ '401 403 403 202 403 202 401 401 202 202 401',
  'PUT /callback': /*                            */ '401 403 201 403 403 200 401 401 201 403 401',
  'GET /callback': /*                            */ '401 200 403 403 403 200 401 401 200 403 401',
  'POST /callback/test': /*                      */ '401 202 403 403 403 202 401 401 202 403 401',
  'DELETE /callback': /*                         */ '401 403 204 403 403 204 401 401 204 403 401',
  'DELETE /cases/:case': /*                      */ '401 403 200 403 403 200 401 401 404 404 401',
};

const testbed = await shareApiTestbed();
const { oauth, get } = testbed;
const agent = await testbed.createAgent();
const ownCase = await openAgentCase(testbed, agent);
const unused = await agent.buy();

const requestBearerToken = (scope: string) => oauth.obtainBearer(agent.client, { scope });

const everything = SCOPES.join(' ');

const authorizations: Readonly<Record<Caller, () => Promise<string | null>>> = {
  'no token': async () => null,
  ...(Object.fromEntries(SCOPES.map((scope) => [scope, () => requestBearerToken(scope)])) as Record<
    Scope,
    () => Promise<string>
  >),
  'all scopes': () => requestBearerToken(everything),
  revoked: async () => {
    const revoked = await requestBearerToken(everything);
    await oauth.revokeToken(agent.client, revoked.slice('Bearer '.length));
    return revoked;
  },
  'suspended client': async () => {
    const { client, authorization } = await testbed.createAgent();
    await updateClient(testbed.store.records, client.clientId, { status: 'suspended' });
    return authorization;
  },
  'other client': async () => (await testbed.createAgent()).authorization,
  'delegated user': async () => {
    const form = await oauth.obtainCodeForm(agent.client, { scope: everything });
    return `Bearer ${(await oauth.requestToken(agent.client, form)).json['access_token']}`;
  },
  'DPoP without proof': async () =>
    `DPoP ${await obtainBoundToken(oauth, agent.client, await generateProofKey(), everything)}`,
};

const bodies: Readonly<Record<string, unknown>> = {
  'POST /stripe/webhook': {},
  'POST /stripe/checkout': { tier: 'Trace' },
  'PUT /orders/:order/uploads/:upload/:piece': randomBytes(100),
  'POST /inquiries': {
    order_id: ownCase.orderId,
    terms_version: CURRENT_TERMS,
    sealed: toInlineSealedBody(ownCase.form),
  },
  'POST /cases/:case/messages': { seq: 0, sealed: await sealBuyerMessage(ownCase) },
  'POST /cases/:case/plain': { words: ownCase.form.words },
  'POST /cases/:case/plain/messages': { words: ownCase.form.words, text: 'x' },
  'POST /cases/:case/plain/files/:file': { words: ownCase.form.words },
  'PUT /cases/:case/retention': { keep_days: 90 },
  'PUT /callback': { url: 'https://93.184.215.14/' },
  'POST /contact': { plain: { topic: 'question', message: 'Is anyone there?' } },
};

const { json: opened } = await agent.request('GET', `/cases/${ownCase.id}`);
const names: Readonly<Record<string, string>> = {
  order: unused.orderId,
  upload: 'U'.repeat(22),
  piece: '0',
  case: ownCase.id,
  file: (opened['files'] as { id: string }[])[0]?.id ?? '',
};

function buildRequest(operation: string, authorization: string | null) {
  const [method = '', path = ''] = operation.split(' ');
  const body = bodies[operation];
  const bytes = body instanceof Uint8Array;
  const headers = {
    ...(authorization === null ? {} : { authorization }),
    ...(body === undefined
      ? {}
      : { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
  };
  return {
    url: `/api${path.replaceAll(/:(\w+)/g, (_all, name: string) => names[name] ?? '')}`,
    ask: { method, headers, ...(body === undefined ? {} : { body: bytes ? body : JSON.stringify(body) }) },
  };
}

const headerByCaller = new Map<Caller, string | null>();
for (const caller of callers) headerByCaller.set(caller, await authorizations[caller]());

test('the table has every operation of the API', async () => {
  const there = (await listApiOperations(testbed.services)).map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(Object.keys(matrix).toSorted(), there.toSorted());
});

for (const [operation, row] of Object.entries(matrix))
  test(`${operation} answers each caller as the table says`, async () => {
    const answers = [];
    for (const caller of callers) {
      const { url, ask } = buildRequest(operation, headerByCaller.get(caller) ?? null);
      const { status, headers, text } = await get(url, ask);
      answers.push(status);
      const challenge = headers['www-authenticate'] ?? '';
      assert.equal(
        /resource_metadata=/.test(challenge),
        status === 401 || status === 403,
        `${caller}: ${text}`,
      );
    }
    assert.equal(answers.join(' '), row);
  });
