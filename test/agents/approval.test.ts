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
import { clientCredentialsForm, startOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { withOpenApiChecks } from '#test/openapi-checks.ts';
import { browserHeaders } from '#test/site/every-page.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import {
  createEmailReader,
  parseCredentialsLink,
  registerSampleAgent,
  type SentRegistration,
} from './sample-registration.ts';

let now = Date.now();
const office = await startOAuthTestApp({ after }, { clock: { now: () => now } });
const { services, requestToken, requestOrders } = office;
const get = withOpenApiChecks(office.get);
const emails = createEmailReader(office);
const machine: ApprovedAccess = { scopes: ['case:read', 'case:write'], grants: ['client_credentials'] };

const getLastLink = async () => parseCredentialsLink((await emails()).at(-1));
const pressButton = (path: string) =>
  get(path, {
    method: 'POST',
    headers: { ...browserHeaders, 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
  });

function parseCredentials({ status, text, json }: HttpsResponse): ClientCredentials {
  assert.equal(status, 200, text);
  return { clientId: String(json['client_id']), clientSecret: String(json['client_secret']) };
}

function parseCredentialsPage({ status, text }: HttpsResponse): ClientCredentials {
  assert.equal(status, 200);
  const readCell = (name: string) =>
    new RegExp(`<th scope="row">${name}</th><td><span class="code">([^<]+)</span>`).exec(text)?.[1] ?? '';
  return { clientId: readCell('client_id'), clientSecret: readCell('client_secret') };
}

async function registerApprovedAgent(): Promise<SentRegistration> {
  const registration = await registerSampleAgent(get);
  await approveRegistration(services, registration.id, machine, null);
  return registration;
}

async function requestAccessToken(client: ClientCredentials): Promise<string> {
  const answer = await requestToken(client, clientCredentialsForm);
  assert.equal(answer.status, 200, answer.text);
  return `Bearer ${answer.json['access_token']}`;
}

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
  assert.equal((await requestOrders(await requestAccessToken(parseCredentials(answer)))).status, 200);
  const again = await registration.poll();
  assert.deepEqual([again.status, again.json['code']], [401, 'invalid_token']);
  assert.equal(again.json['client_secret'], undefined);
  const rows = JSON.stringify([
    await services.store.records.selectFrom('registrations').selectAll().execute(),
    await services.store.records.selectFrom('clients').selectAll().execute(),
    await services.store.records.selectFrom('outbox').selectAll().execute(),
  ]);
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
  await requestAccessToken(parseCredentialsPage(accessToken));
  assert.equal((await pressButton(path)).status, 410);
  const spent = await get(path, { headers: browserHeaders });
  assert.equal(spent.status, 410);
  assert.match(spent.text, /<h1>This link no longer works<\/h1>/);
  assert.match(spent.text, /If your program asked for its credentials itself, it has them\./);
  assert.equal((await registration.poll()).status, 401);
});

test('a poll that returned the credentials invalidates the link', async () => {
  const registration = await registerApprovedAgent();
  const path = await getLastLink();
  parseCredentials(await registration.poll());
  assert.equal((await pressButton(path)).status, 410);
});

test('of many concurrent polls one returns the credentials', async () => {
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
  await requestAccessToken(parseCredentialsPage(await pressButton(fresh)));
});

test('a cross-site request cannot press the button', async () => {
  const registration = await registerApprovedAgent();
  const path = await getLastLink();
  const foreign = await get(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    body: '',
  });
  assert.equal(foreign.status, 403);
  parseCredentials(await registration.poll());
});

test('a rejected registration is reported as rejected and never gets credentials', async () => {
  const registration = await registerSampleAgent(get);
  await rejectRegistration(services, registration.id, null);
  assert.deepEqual((await registration.poll()).json, {
    registration_id: registration.id,
    status: 'rejected',
  });
  await assert.rejects(approveRegistration(services, registration.id, machine, null), {
    code: 'registration_state',
  });
  const approved = await registerApprovedAgent();
  const path = await getLastLink();
  await rejectRegistration(services, approved.id, null);
  assert.equal((await pressButton(path)).status, 410);
  assert.equal((await approved.poll()).json['status'], 'rejected');
});

test('a suspended client is refused on the next request, and works again once it is approved', async () => {
  const registration = await registerApprovedAgent();
  const client = parseCredentials(await registration.poll());
  const accessToken = await requestAccessToken(client);
  await suspendClient(services, client.clientId, null);
  assert.equal((await requestOrders(accessToken)).status, 401);
  assert.equal((await requestToken(client, clientCredentialsForm)).status, 401);
  await approveRegistration(services, registration.id, null, null);
  assert.equal((await requestOrders(accessToken)).status, 200);
});

test('a rotation invalidates the secret and its tokens at once, and a new link shows the next secret', async () => {
  const registration = await registerApprovedAgent();
  const client = parseCredentials(await registration.poll());
  const accessToken = await requestAccessToken(client);
  await rotateClientSecret(services, registration.id, null);
  assert.equal((await requestOrders(accessToken)).status, 401);
  assert.equal((await requestToken(client, clientCredentialsForm)).status, 401);
  const older = await getLastLink();
  await rotateClientSecret(services, client.clientId, null);
  const path = await getLastLink();
  assert.equal((await pressButton(older)).status, 410);
  const next = parseCredentialsPage(await pressButton(path));
  assert.equal(next.clientId, client.clientId);
  assert.notEqual(next.clientSecret, client.clientSecret);
  assert.equal((await requestOrders(await requestAccessToken(next))).status, 200);
});

test('a rotated client that missed its link gets another by an approval, suspended or not', async () => {
  const registration = await registerApprovedAgent();
  const client = parseCredentials(await registration.poll());
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
  await requestAccessToken(next);
  const before = (await emails()).length;
  await approveRegistration(services, client.clientId, null, null);
  assert.equal((await emails()).length, before);
});

test('a client whose scopes are reduced loses the tokens that had more', async () => {
  const registration = await registerApprovedAgent();
  const client = parseCredentials(await registration.poll());
  const accessToken = await requestAccessToken(client);
  await approveRegistration(
    services,
    registration.id,
    {
      scopes: ['case:read'],
      grants: ['client_credentials'],
    },
    null,
  );
  assert.equal((await requestOrders(accessToken)).status, 401);
  assert.equal((await requestOrders(await requestAccessToken(client))).status, 403);
});

test('an impossible approval, suspension or rotation is refused', async () => {
  const { id } = await registerSampleAgent(get, { redirect_uris: [] });
  for (const grants of [['authorization_code'], ['refresh_token'], []] as const)
    await assert.rejects(approveRegistration(services, id, { scopes: ['case:read'], grants }, null), {
      code: 'registration_state',
    });
  await assert.rejects(
    approveRegistration(services, id, { scopes: [], grants: ['client_credentials'] }, null),
    {
      code: 'registration_state',
    },
  );
  await assert.rejects(approveRegistration(services, id, null, null), { code: 'registration_state' });
  await assert.rejects(suspendClient(services, id, null), { code: 'registration_state' });
  await assert.rejects(rotateClientSecret(services, id, null), { code: 'registration_state' });
  await assert.rejects(suspendClient(services, 'unknown', null), { code: 'not_found' });
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
