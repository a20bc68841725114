/** From the maintainer's decision to working credentials: handed out once, by poll or by link, whichever comes first. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import {
  type ApprovedAccess,
  approveRegistration,
  rejectRegistration,
  rotateClientSecret,
  suspendClient,
} from '#clients/approval.ts';
import type { ClientCredentials } from '#clients/clients.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { clientCredentialsForm, startOAuthTestApp } from '#test/oauth/oauth-test-app.ts';
import { withOpenApiChecks } from '#test/openapi-checks.ts';
import { browserHeaders } from '#test/site/every-page.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import { createLetterReader, parseCredentialsLink, registerSampleAgent } from './sample-registration.ts';

let now = Date.now();
const office = await startOAuthTestApp({ after }, { clock: { now: () => now } });
const { services, token, orders } = office;
const get = withOpenApiChecks(office.get);
const letters = createLetterReader(office);
const machine: ApprovedAccess = { scopes: ['case:read', 'case:write'], grants: ['client_credentials'] };

const getLastLink = async () => parseCredentialsLink((await letters()).at(-1));
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

async function requestAccessToken(who: ClientCredentials): Promise<string> {
  const answer = await token(who, clientCredentialsForm);
  assert.equal(answer.status, 200, answer.text);
  return `Bearer ${answer.json['access_token']}`;
}

test('after the approval one poll returns the credentials, and they work', async () => {
  const sent = await registerSampleAgent(get);
  await approveRegistration(services, sent.id, machine);
  const answer = await sent.poll();
  const { client_secret, client_id, ...rest } = answer.json;
  assert.deepEqual(rest, {
    registration_id: sent.id,
    status: 'approved',
    scopes: ['case:read', 'case:write'],
    grant_types: ['client_credentials'],
    token_endpoint: services.addresses.oauth.token,
  });
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal((await orders(await requestAccessToken(parseCredentials(answer)))).status, 200);
  const again = await sent.poll();
  assert.deepEqual([again.status, again.json['code']], [401, 'invalid_token']);
  assert.equal(again.json['client_secret'], undefined);
  const rows = JSON.stringify([
    await services.store.records.selectFrom('registrations').selectAll().execute(),
    await services.store.records.selectFrom('clients').selectAll().execute(),
    await services.store.records.selectFrom('outbox').selectAll().execute(),
  ]);
  assert.doesNotMatch(rows + office.log(), new RegExp(String(client_secret)));
  assert.ok(rows.includes(String(client_id)));
});

test('the link shows the credentials once, after a button press, and ends the poll; opening the page spends nothing', async () => {
  const sent = await registerSampleAgent(get);
  await approveRegistration(services, sent.id, machine);
  const path = await getLastLink();
  for (let look = 0; look < 3; look += 1) {
    const page = await get(path, { headers: browserHeaders });
    assert.equal(page.status, 200);
    assert.equal(page.headers['cache-control'], 'no-store');
    await assertValidHtml(page.text, 'offer');
  }
  const shown = await pressButton(path);
  await assertValidHtml(shown.text, 'credentials');
  await requestAccessToken(parseCredentialsPage(shown));
  assert.equal((await pressButton(path)).status, 410);
  assert.equal((await get(path)).status, 410);
  assert.equal((await sent.poll()).status, 401);
});

test('a poll that returned the credentials invalidates the link', async () => {
  const sent = await registerSampleAgent(get);
  await approveRegistration(services, sent.id, machine);
  const path = await getLastLink();
  parseCredentials(await sent.poll());
  assert.equal((await pressButton(path)).status, 410);
});

test('of many concurrent polls one returns the credentials', async () => {
  const sent = await registerSampleAgent(get);
  await approveRegistration(services, sent.id, machine);
  const path = await getLastLink();
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, sent.poll),
    pressButton(path),
    pressButton(path),
  ]);
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test('the letter has a link and no secret, and the link expires after 72 hours', async () => {
  const sent = await registerSampleAgent(get, { contact: 'Reader@Agent.example' });
  await approveRegistration(services, sent.id, machine);
  const path = await getLastLink();
  const letter = (await letters()).at(-1);
  assert.equal(letter?.to, 'reader@agent.example');
  assert.doesNotMatch(`${letter?.subject} ${letter?.text}`, new RegExp(sent.token));
  assert.equal((await get(`${path}x`)).status, 410);
  assert.equal((await get(path.replace(/\.[^.]+$/, '.'))).status, 410);
  now += 72 * 3_600_000 - 1_000;
  assert.equal((await get(path)).status, 200);
  now += 1_000;
  assert.equal((await pressButton(path)).status, 410);
  await approveRegistration(services, sent.id, null);
  const fresh = await getLastLink();
  assert.notEqual(fresh, path);
  await requestAccessToken(parseCredentialsPage(await pressButton(fresh)));
});

test('a cross-site request cannot press the button', async () => {
  const sent = await registerSampleAgent(get);
  await approveRegistration(services, sent.id, machine);
  const path = await getLastLink();
  const foreign = await get(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    body: '',
  });
  assert.equal(foreign.status, 403);
  parseCredentials(await sent.poll());
});

test('a rejected registration is reported as rejected and never gets credentials', async () => {
  const sent = await registerSampleAgent(get);
  await rejectRegistration(services, sent.id);
  assert.deepEqual((await sent.poll()).json, { registration_id: sent.id, status: 'rejected' });
  await assert.rejects(approveRegistration(services, sent.id, machine), { code: 'registration_state' });
  const taken = await registerSampleAgent(get);
  await approveRegistration(services, taken.id, machine);
  const path = await getLastLink();
  await rejectRegistration(services, taken.id);
  assert.equal((await pressButton(path)).status, 410);
  assert.equal((await taken.poll()).json['status'], 'rejected');
});

test('a suspended client is refused on the next request, and works again once it is approved', async () => {
  const sent = await registerSampleAgent(get);
  await approveRegistration(services, sent.id, machine);
  const who = parseCredentials(await sent.poll());
  const shown = await requestAccessToken(who);
  await suspendClient(services, who.clientId);
  assert.equal((await orders(shown)).status, 401);
  assert.equal((await token(who, clientCredentialsForm)).status, 401);
  await approveRegistration(services, sent.id, null);
  assert.equal((await orders(shown)).status, 200);
});

test('a rotation invalidates the secret and its tokens at once, and a new link shows the next secret', async () => {
  const sent = await registerSampleAgent(get);
  await approveRegistration(services, sent.id, machine);
  const who = parseCredentials(await sent.poll());
  const shown = await requestAccessToken(who);
  await rotateClientSecret(services, sent.id);
  assert.equal((await orders(shown)).status, 401);
  assert.equal((await token(who, clientCredentialsForm)).status, 401);
  const older = await getLastLink();
  await rotateClientSecret(services, who.clientId);
  const path = await getLastLink();
  assert.equal((await pressButton(older)).status, 410);
  const next = parseCredentialsPage(await pressButton(path));
  assert.equal(next.clientId, who.clientId);
  assert.notEqual(next.clientSecret, who.clientSecret);
  assert.equal((await orders(await requestAccessToken(next))).status, 200);
});

test('a client whose scopes are reduced loses the tokens that had more', async () => {
  const sent = await registerSampleAgent(get);
  await approveRegistration(services, sent.id, machine);
  const who = parseCredentials(await sent.poll());
  const shown = await requestAccessToken(who);
  await approveRegistration(services, sent.id, { scopes: ['case:read'], grants: ['client_credentials'] });
  assert.equal((await orders(shown)).status, 401);
  assert.equal((await orders(await requestAccessToken(who))).status, 403);
});

test('an impossible approval, suspension or rotation is refused', async () => {
  const { id } = await registerSampleAgent(get, { redirect_uris: [] });
  for (const grants of [['authorization_code'], ['refresh_token'], []] as const)
    await assert.rejects(approveRegistration(services, id, { scopes: ['case:read'], grants }), {
      code: 'registration_state',
    });
  await assert.rejects(approveRegistration(services, id, { scopes: [], grants: ['client_credentials'] }), {
    code: 'registration_state',
  });
  await assert.rejects(approveRegistration(services, id, null), { code: 'registration_state' });
  await assert.rejects(suspendClient(services, id), { code: 'registration_state' });
  await assert.rejects(rotateClientSecret(services, id), { code: 'registration_state' });
  await assert.rejects(suspendClient(services, 'unknown'), { code: 'not_found' });
});

test('the maintainer gets one letter for several registrations, without their contents', async () => {
  const before = (await letters()).length;
  await registerSampleAgent(get, { client_name: 'Pay at once to evil.example' });
  await registerSampleAgent(get);
  now += 61_000;
  const written = (await letters()).slice(before).filter(({ to }) => to === 'boss@x.example');
  assert.equal(written.length, 1);
  assert.doesNotMatch(written[0]!.text, /evil/);
});
