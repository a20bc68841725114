/** From the maintainer's decision to working credentials, which are handed out once: by poll or by link. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { toolScopes } from '#api/mcp/tools.ts';
import type { ClientCredentials } from '#clients/clients.ts';
import {
  type ApprovedAccess,
  approveRegistration,
  rejectRegistration,
  rotateClientSecret,
  suspendClient,
} from '#clients/registration-decision.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { postForm, startOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { withOpenApiChecks } from '#test/openapi-checks.ts';
import { browserHeaders } from '#test/site/every-page.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import {
  createEmailReader,
  parseCredentials,
  parseCredentialsLink,
  registerSampleAgent,
} from './sample-registration.ts';

let now = Date.now();
const office = await startOAuthTestApp({ after }, { clock: { now: () => now } });
const { services, requestOrders, assertRefused } = office;
const get = withOpenApiChecks(office.get);
const emails = createEmailReader(office);
const machine: ApprovedAccess = { scopes: ['case:read', 'case:write'], grants: ['client_credentials'] };

const getLastLink = async () => parseCredentialsLink((await emails()).at(-1));
const pressButton = (path: string, headers: Record<string, string> = browserHeaders) =>
  postForm(get, path, {}, headers);

function parseCredentialsPage({ status, text }: HttpsResponse): ClientCredentials {
  assert.equal(status, 200);
  const readCell = (name: string) =>
    new RegExp(`<th scope="row">${name}</th><td><span class="code">([^<]+)</span>`).exec(text)?.[1] ?? '';
  return { clientId: readCell('client_id'), clientSecret: readCell('client_secret') };
}

async function registerApprovedAgent() {
  const registration = await registerSampleAgent(get);
  await approveRegistration(services, registration.id, machine, null);
  return registration;
}

/** Registers, is approved and polls; returns working credentials with one of their tokens. */
async function createRegisteredClient() {
  const { id, poll } = await registerApprovedAgent();
  const client = parseCredentials(await poll());
  return { id, client, bearer: await office.obtainBearer(client) };
}

const assertClientRefused = (client: ClientCredentials) =>
  assertRefused(client, { grant_type: 'client_credentials' }, 'invalid_client');

/** A decision that the state of the registration does not allow. */
const assertImpossible = (decision: Promise<unknown>, code = 'registration_state') =>
  assert.rejects(decision, { code });

test('after the approval one poll returns the credentials, and they work', async () => {
  const registration = await registerApprovedAgent();
  const answer = await registration.poll();
  const { client_secret, client_id, ...rest } = answer.json;
  assert.deepEqual(rest, {
    registration_id: registration.id,
    status: 'approved',
    scopes: ['case:read', 'case:write'],
    grant_types: ['client_credentials'],
    token_endpoint: services.addresses.oauth.token,
  });
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal((await requestOrders(await office.obtainBearer(parseCredentials(answer)))).status, 200);
  const again = await registration.poll();
  assert.deepEqual([again.status, again.json['code']], [401, 'invalid_token']);
  assert.equal(again.json['client_secret'], undefined);
  const tables = (['registrations', 'clients', 'outbox'] as const).map((table) =>
    services.store.records.selectFrom(table).selectAll().execute(),
  );
  const rows = JSON.stringify(await Promise.all(tables));
  assert.doesNotMatch(rows + office.readLog(), new RegExp(String(client_secret)));
  assert.ok(rows.includes(String(client_id)));
});

test('the link shows the credentials once, after a button press, and ends the poll; opening the page spends nothing', async () => {
  const registration = await registerApprovedAgent();
  const path = await getLastLink();
  for (let look = 0; look < 3; look += 1) {
    const page = await get(path, { headers: browserHeaders });
    assert.equal(page.status, 200);
    assert.equal(page.headers['cache-control'], 'no-store');
    await assertValidHtml(page.text, 'offer');
  }
  const accessToken = await pressButton(path);
  await assertValidHtml(accessToken.text, 'credentials');
  await office.obtainBearer(parseCredentialsPage(accessToken));
  assert.equal((await pressButton(path)).status, 410);
  const spent = await get(path, { headers: browserHeaders });
  assert.equal(spent.status, 410);
  assert.match(spent.text, /<h1>This link no longer works<\/h1>/);
  assert.match(spent.text, /If your program asked for its credentials itself, it has them\./);
  assert.equal((await registration.poll()).status, 401);
});

test('of many concurrent polls and button presses one returns the credentials', async () => {
  const registration = await registerApprovedAgent();
  const path = await getLastLink();
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, registration.poll),
    pressButton(path),
    pressButton(path),
  ]);
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test('the e-mail has a link and no secret, and the link expires after 72 hours', async () => {
  const registration = await registerSampleAgent(get, { contact: 'Reader@Agent.example' });
  await approveRegistration(services, registration.id, machine, null);
  const path = await getLastLink();
  const email = (await emails()).at(-1);
  assert.deepEqual([email?.to, email?.subject], ['reader@agent.example', 'A message for you']);
  assert.doesNotMatch(`${email?.subject} ${email?.text}`, new RegExp(registration.token));
  assert.equal((await get(`${path}x`)).status, 410);
  assert.equal((await get(path.replace(/\.[^.]+$/, '.'))).status, 410);
  now += 72 * 3_600_000 - 1_000;
  assert.equal((await get(path)).status, 200);
  now += 1_000;
  assert.equal((await pressButton(path)).status, 410);
  await approveRegistration(services, registration.id, null, null);
  const fresh = await getLastLink();
  assert.notEqual(fresh, path);
  await office.obtainBearer(parseCredentialsPage(await pressButton(fresh)));
});

test('a cross-site request cannot press the button', async () => {
  const registration = await registerApprovedAgent();
  const path = await getLastLink();
  assert.equal((await pressButton(path, { 'sec-fetch-site': 'cross-site' })).status, 403);
  parseCredentials(await registration.poll());
});

test('a rejected registration is reported as rejected and never gets credentials', async () => {
  const registration = await registerSampleAgent(get);
  await rejectRegistration(services, registration.id, null);
  const { id, poll } = registration;
  assert.deepEqual((await poll()).json, { registration_id: id, status: 'rejected' });
  await assertImpossible(approveRegistration(services, id, machine, null));
  const approved = await registerApprovedAgent();
  const path = await getLastLink();
  await rejectRegistration(services, approved.id, null);
  assert.equal((await pressButton(path)).status, 410);
  assert.equal((await approved.poll()).json['status'], 'rejected');
});

test('a suspended client is refused on the next request, and works again once it is approved', async () => {
  const { id, client, bearer } = await createRegisteredClient();
  await suspendClient(services, client.clientId, null);
  assert.equal((await requestOrders(bearer)).status, 401);
  await assertClientRefused(client);
  await approveRegistration(services, id, null, null);
  assert.equal((await requestOrders(bearer)).status, 200);
});

test('a rotation invalidates the secret and its tokens at once, and a new link shows the next secret', async () => {
  const { id, client, bearer } = await createRegisteredClient();
  await rotateClientSecret(services, id, null);
  assert.equal((await requestOrders(bearer)).status, 401);
  await assertClientRefused(client);
  const older = await getLastLink();
  await rotateClientSecret(services, client.clientId, null);
  const path = await getLastLink();
  assert.equal((await pressButton(older)).status, 410);
  const next = parseCredentialsPage(await pressButton(path));
  assert.equal(next.clientId, client.clientId);
  assert.notEqual(next.clientSecret, client.clientSecret);
  assert.equal((await requestOrders(await office.obtainBearer(next))).status, 200);
});

test('a rotated client that missed its link gets another by an approval, suspended or not', async () => {
  const { client } = await createRegisteredClient();
  await rotateClientSecret(services, client.clientId, null);
  const missed = await getLastLink();
  now += 72 * 3_600_000;
  await approveRegistration(services, client.clientId, null, null);
  const replaced = await getLastLink();
  assert.notEqual(replaced, missed);
  await suspendClient(services, client.clientId, null);
  await approveRegistration(services, client.clientId, null, null);
  assert.equal((await pressButton(replaced)).status, 410);
  const next = parseCredentialsPage(await pressButton(await getLastLink()));
  assert.equal(next.clientId, client.clientId);
  await office.obtainBearer(next);
  const before = (await emails()).length;
  await approveRegistration(services, client.clientId, null, null);
  assert.equal((await emails()).length, before);
});

test('a client whose scopes are reduced loses the tokens that had more', async () => {
  const { id, client, bearer } = await createRegisteredClient();
  await approveRegistration(services, id, { ...machine, scopes: ['case:read'] }, null);
  assert.equal((await requestOrders(bearer)).status, 401);
  assert.equal((await requestOrders(await office.obtainBearer(client))).status, 403);
});

test('an impossible approval, suspension or rotation is refused', async () => {
  const { id } = await registerSampleAgent(get, { redirect_uris: [] });
  for (const choice of [
    { scopes: ['case:read'], grants: ['authorization_code'] },
    { scopes: ['case:read'], grants: ['refresh_token'] },
    { scopes: ['case:read'], grants: [] },
    { scopes: [], grants: ['client_credentials'] },
    null,
  ] as const)
    await assertImpossible(approveRegistration(services, id, choice, null));
  await assertImpossible(suspendClient(services, id, null));
  await assertImpossible(rotateClientSecret(services, id, null));
  await assertImpossible(suspendClient(services, 'unknown', null), 'not_found');
});

test('the maintainer gets one e-mail for several registrations, without their contents', async () => {
  const before = (await emails()).length;
  await registerSampleAgent(get, { client_name: 'Pay at once to evil.example' });
  await registerSampleAgent(get);
  now += 61_000;
  const written = (await emails()).slice(before).filter(({ to }) => to === 'boss@x.example');
  assert.equal(written.length, 1);
  assert.doesNotMatch(written[0]!.text, /evil/);
});

test('a program that names no scopes asks for those that the MCP endpoint demands of a client', async () => {
  const { id } = await registerSampleAgent(get);
  await assert.rejects(approveRegistration(services, id, null, null), {
    publicMessage: new RegExp(`agents approve ${id} --scopes "${toolScopes.join(' ')}" `),
  });
  const { text } = await get('/auth.md');
  assert.ok(
    text.includes(`Without them you ask for ${toolScopes.map((scope) => `\`${scope}\``).join(', ')}`),
  );
});
