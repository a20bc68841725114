/** A client that moves: its redirect addresses are changed by the maintainer, at once and for everything in flight. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { ClientCredentials } from '#clients/clients.ts';
import {
  approveRegistration,
  rejectRegistration,
  updateRedirectUris,
} from '#clients/registration-decision.ts';
import { findClient } from '#store/clients/clients.ts';
import {
  buildCodeGrantForm,
  buildRefreshGrantForm,
  CALLBACK_URL,
  startOAuthTestApp,
} from '#test/oauth/oauth-test-app.ts';
import { parseCredentials, registerSampleAgent, sampleRegistration } from './sample-registration.ts';

const office = await startOAuthTestApp({ after });
const { services, get } = office;
const NEW_URL = 'https://moved.example/callback';
const move = { add: [NEW_URL], remove: [CALLBACK_URL] };
const forPeople = {
  scopes: ['case:read', 'case:write'],
  grants: ['authorization_code', 'refresh_token'],
} as const;

assert.deepEqual(sampleRegistration.redirect_uris, [CALLBACK_URL]);

async function createMovingClient(
  redirect_uris: readonly string[] = [CALLBACK_URL],
): Promise<ClientCredentials> {
  const { id, poll } = await registerSampleAgent(get, { redirect_uris });
  await approveRegistration(services, id, forPeople, null);
  return parseCredentials(await poll());
}

/** A person signs in, and the client gets its tokens for them. */
async function signIn(client: ClientCredentials, redirect_uri: string) {
  const url = office.buildAuthorizeUrl(client.clientId, { redirect_uri });
  const callback = await office.authorize(url);
  assert.ok(callback.href.startsWith(`${redirect_uri}?`), callback.href);
  const { status, text } = await office.requestToken(client, buildCodeGrantForm(callback, redirect_uri));
  assert.equal(status, 200, text);
}

test('after a move people are sent to the new address, and none is sent to the previous one', async () => {
  const client = await createMovingClient();
  const { registration } = await updateRedirectUris(services, client.clientId, move, null);
  assert.deepEqual(JSON.parse(registration.redirect_uris), [NEW_URL]);
  await signIn(client, NEW_URL);
  const browser = await office.openAuthorization(client.clientId);
  assert.deepEqual([browser.getPage().status, browser.getExternalRedirect()], [400, null]);
});

test('a code for an address that was removed is refused; tokens that were issued stay', async () => {
  const client = await createMovingClient();
  const tokens = await office.obtainTokens(client);
  const form = await office.obtainCodeForm(client);
  await updateRedirectUris(services, client.clientId, move, null);
  await office.assertRefused(client, form, 'invalid_grant');
  assert.ok(await office.isTokenAccepted(tokens.access_token));
  assert.equal((await office.requestToken(client, buildRefreshGrantForm(tokens.refresh_token))).status, 200);
});

test('a sign-in that began before goes nowhere: neither its consent nor its refusal reaches the removed address', async () => {
  for (const step of ['consent', 'cancel']) {
    const client = await createMovingClient();
    const browser = await office.openAuthorization(client.clientId);
    await browser.submitForm('address', { address: `${step}@example.com` });
    await office.submitCode(browser);
    await updateRedirectUris(services, client.clientId, move, null);
    const { status, text } = await browser.submitForm(step, {});
    assert.deepEqual([status, browser.getExternalRedirect()], [403, null], text);
  }
});

test('a registration that waits is changed too, and approved with its new address', async () => {
  const registration = await registerSampleAgent(get);
  await updateRedirectUris(services, registration.id, move, null);
  await approveRegistration(services, registration.id, forPeople, null);
  await signIn(parseCredentials(await registration.poll()), NEW_URL);
});

test('an app that registered a scheme of its own gets its code there, and can move to another one', async () => {
  const [first, second] = ['com.example.app:/callback', 'com.example.other://callback'];
  const client = await createMovingClient([first]);
  await signIn(client, first);
  await updateRedirectUris(services, client.clientId, { add: [second], remove: [first] }, null);
  await signIn(client, second);
});

test('what a registration could not name cannot be added, and nothing else is changed with it', async () => {
  const { clientId } = await createMovingClient();
  const assertRefused = (id: string, change: typeof move, code: string) =>
    assert.rejects(updateRedirectUris(services, id, change, null), { code });
  for (const add of [
    ['http://moved.example/callback'],
    ['example:/done'],
    [NEW_URL, 'https://moved.example/#part'],
    Array.from({ length: 10 }, (_each, index) => `https://moved.example/${index}`),
  ])
    await assertRefused(clientId, { add, remove: [] }, 'validation_failed');
  await assertRefused(clientId, { add: [], remove: [NEW_URL] }, 'validation_failed');
  // A client that acts for people needs a redirect address.
  await assertRefused(clientId, { add: [], remove: [CALLBACK_URL] }, 'registration_state');
  const { id: rejected } = await registerSampleAgent(get);
  await rejectRegistration(services, rejected, null);
  await assertRefused(rejected, move, 'registration_state');
  const row = await findClient(services.store.records, clientId);
  assert.deepEqual(JSON.parse(row?.redirect_uris ?? ''), [CALLBACK_URL]);
});

test('the change is in the audit log with who made it, and a client without people keeps no address of its own', async () => {
  const registration = await registerSampleAgent(get);
  const machine = { scopes: ['case:read'], grants: ['client_credentials'] } as const;
  await approveRegistration(services, registration.id, machine, null);
  const { client_id } = (await registration.poll()).json;
  const { client } = await updateRedirectUris(services, String(client_id), move, 'ana');
  assert.equal(client?.redirect_uris, '[]');
  const entries = await services.store.records
    .selectFrom('audit_entries')
    .select('entry')
    .where('subject_id', '=', registration.id)
    .orderBy('entry')
    .execute();
  const last = JSON.parse(entries.at(-1)?.entry ?? '{}') as Record<string, unknown>;
  assert.deepEqual([last['by'], last['act'], last['agent']], ['ana', 'redirect_agent', registration.id]);
});
