/** Two processes on one PostgreSQL: what one hands out, revokes or uses up, the other refuses on the next request. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientCredentials } from '#clients/clients.ts';
import { approveRegistration, rotateClientSecret, suspendClient } from '#clients/registration-decision.ts';
import { systemClock } from '#platform/clock.ts';
import { updateClient } from '#store/clients/clients.ts';
import { pollRegistrationStatus, registerSampleAgent } from '#test/agents/sample-registration.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import { createClient } from '#test/oauth/created-client.ts';
import { PATIENCE_MS } from '#test/patience.ts';
import { findFreePorts } from '#test/ports.ts';
import { isLongRun } from '#test/scale.ts';
import { startServiceProcess } from '#test/service-process.ts';
import { openTestStore, startPostgresEngine } from '#test/store/engines.ts';
import { generateProofKey } from './dpop-proof.ts';
import {
  buildAuthorizeUrl,
  buildCodeGrantForm,
  buildRefreshGrantForm,
  clientCredentialsForm,
  formatBasic,
  postForm,
  REVOCATION_PATH,
  sampleClient,
} from './oauth-test-app.ts';
import { openScriptlessBrowser } from './scriptless-browser.ts';

const AT_ONCE = 8;
const ROUNDS = isLongRun ? 5 : 1;

const engine = await startPostgresEngine({ after });
const place = await engine.createDatabase({ after });
const [port = 0] = await findFreePorts(1);
const origin = `https://localhost:${port}`;
const env = { ...place.env, SITE_URL: origin, RATE_LIMIT: 'off' };
const first = await startServiceProcess({ after }, { ...env, PORT: String(port) });
const second = await startServiceProcess({ after }, env);
const gets = [first.get, second.get] as const;
const store = await openTestStore({ after }, place);

const createAgent = () => createClient({ store, clock: systemClock }, sampleClient);
const agent = await createAgent();

function requestToken(
  get: HttpsClient,
  form: Record<string, string>,
  client = agent,
  dpop?: string,
): Promise<HttpsResponse> {
  const authorization = formatBasic(client);
  return postForm(get, '/oauth2/token', form, { authorization, ...(dpop && { dpop }) });
}

const requestOrders = (get: HttpsClient, authorization: string, dpop?: string): Promise<HttpsResponse> =>
  get('/api/orders', { headers: { authorization, ...(dpop && { dpop }) } });

/** Sends half of the requests to each process. */
async function raceRequests(ask: (get: HttpsClient) => Promise<HttpsResponse>): Promise<HttpsResponse> {
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) => ask(gets[index % gets.length]!)),
  );
  const winners = answers.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1, answers.map(({ text }) => text).join('\n'));
  // On a busy machine, a request may give up waiting for a connection to the database.
  for (const { status, text } of answers) assert.ok([200, 400, 401, 503].includes(status), text);
  return winners[0]!;
}

/** Signs in with the pages of both processes in turn. */
let people = 0;
async function obtainCodeForm(): Promise<Record<string, string>> {
  people += 1;
  const address = `person-${people}@example.com`;
  let turn = 0;
  const browser = openScriptlessBrowser((path, ask) => {
    turn += 1;
    return gets[turn % gets.length]!(path, ask);
  }, origin);
  await browser.open(buildAuthorizeUrl(origin, agent.clientId));
  await browser.submitForm('address', { address });
  await browser.submitForm('code', { code: await waitForEmailCode(address) });
  await browser.submitForm('consent');
  return buildCodeGrantForm(browser.getExternalRedirect());
}

/** Either process may have sent the e-mail; without a mail server it is a file. */
async function waitForEmailCode(address: string): Promise<string> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(50))
    for (const { dataDir } of [first, second]) {
      const folder = join(dataDir, 'mail');
      for (const name of await readdir(folder).catch(() => [])) {
        if (!name.endsWith('.eml')) continue;
        const email = await readFile(join(folder, name), 'utf8');
        if (email.includes(`To: ${address}`)) return /^\d{6}$/m.exec(email)?.[0] ?? '';
      }
    }
  throw new Error(`no e-mail came to ${address}`);
}

test('one of eight uses of a code wins, and its token family is revoked in both processes', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const form = await obtainCodeForm();
    const { json } = await raceRequests((get) => requestToken(get, form));
    for (const get of gets)
      assert.equal((await requestOrders(get, `Bearer ${json['access_token']}`)).status, 401);
  }
});

test('one of eight uses of a refresh token wins, and its token family is revoked in both processes', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { json } = await requestToken(first.get, await obtainCodeForm());
    assert.equal((await requestOrders(second.get, `Bearer ${json['access_token']}`)).status, 200);
    const form = buildRefreshGrantForm(json['refresh_token']);
    const winner = await raceRequests((get) => requestToken(get, form));
    for (const get of gets)
      for (const tokens of [json, winner.json])
        assert.equal((await requestOrders(get, `Bearer ${tokens['access_token']}`)).status, 401);
    const next = buildRefreshGrantForm(winner.json['refresh_token']);
    assert.equal((await requestToken(second.get, next)).status, 400);
  }
});

test('one of eight uses of a proof wins, at the token endpoint and at the API', async () => {
  const { createProof } = await generateProofKey();
  for (let round = 0; round < ROUNDS; round += 1) {
    const forToken = await createProof({ htm: 'POST', htu: `${origin}/oauth2/token` });
    const { json } = await raceRequests((get) => requestToken(get, clientCredentialsForm, agent, forToken));
    const value = String(json['access_token']);
    const forApi = await createProof({ htm: 'GET', htu: `${origin}/api/orders`, token: value });
    await raceRequests((get) => requestOrders(get, `DPoP ${value}`, forApi));
  }
});

test('a token revoked in one process, and a suspended client, are refused at once in the other', async () => {
  const other = await createAgent();
  const [revoked, kept] = await Promise.all([
    requestToken(first.get, clientCredentialsForm, other),
    requestToken(first.get, clientCredentialsForm, other),
  ]);
  const toBearer = ({ json }: HttpsResponse) => `Bearer ${json['access_token']}`;
  assert.equal((await requestOrders(second.get, toBearer(revoked))).status, 200);
  const token = String(revoked.json['access_token']);
  await postForm(first.get, REVOCATION_PATH, { token }, { authorization: formatBasic(other) });
  assert.equal((await requestOrders(second.get, toBearer(revoked))).status, 401);
  assert.equal((await requestOrders(second.get, toBearer(kept))).status, 200);
  await updateClient(store.records, other.clientId, { status: 'suspended' });
  for (const get of gets) assert.equal((await requestOrders(get, toBearer(kept))).status, 401);
});

async function createRegisteredClient(): Promise<ClientCredentials> {
  const { id, token } = await registerSampleAgent(first.get);
  const access = { scopes: ['case:write'], grants: ['client_credentials'] } as const;
  await approveRegistration({ store, clock: systemClock }, id, access, null);
  const { json } = await raceRequests((get) => pollRegistrationStatus(get, id, token));
  return { clientId: String(json['client_id']), clientSecret: String(json['client_secret']) };
}

test('one of eight polls returns the credentials of a registered client; a new secret and a suspension end them in both', async () => {
  const end = {
    rotated: (id: string) => rotateClientSecret({ store, clock: systemClock }, id, null),
    suspended: (id: string) => suspendClient({ store, clock: systemClock }, id, null),
  };
  for (const endCredentials of Object.values(end)) {
    const client = await createRegisteredClient();
    const { json } = await requestToken(first.get, clientCredentialsForm, client);
    const bearer = `Bearer ${json['access_token']}`;
    for (const get of gets) assert.equal((await requestOrders(get, bearer)).status, 200);
    await endCredentials(client.clientId);
    for (const get of gets) {
      assert.equal((await requestOrders(get, bearer)).status, 401);
      assert.equal((await requestToken(get, clientCredentialsForm, client)).status, 401);
    }
  }
});

test('both processes sign with the same key', async () => {
  const [one, other] = await Promise.all(gets.map((get) => get('/oauth2/jwks')));
  assert.deepEqual(one?.json, other?.json);
});

test('while the database is down tokens are neither issued nor accepted; afterwards they are again', async () => {
  const { json } = await requestToken(first.get, clientCredentialsForm);
  const bearer = `Bearer ${json['access_token']}`;
  await engine.server.stop();
  const refused = await requestToken(first.get, clientCredentialsForm);
  assert.deepEqual([refused.status, refused.json['error']], [503, 'temporarily_unavailable']);
  assert.ok(refused.headers['retry-after']);
  assert.equal((await requestOrders(first.get, bearer)).status, 503);
  await engine.server.start();
  assert.equal((await requestOrders(first.get, bearer)).status, 200);
  assert.equal((await requestToken(first.get, clientCredentialsForm)).status, 200);
});

test('neither process logged an address, a token or a code', () => {
  for (const { readOutput } of [first, second]) {
    assert.match(readOutput(), /"route":"\/oauth2\/token"/);
    assert.doesNotMatch(readOutput(), /example\.com|Bearer|code=|[\w-]{43}/);
  }
});
