/** A client that moves: its redirect addresses are changed by the maintainer, at once and for everything in flight. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { ClientCredentials } from '#clients/clients.ts';
import {
  approveRegistration,
  rejectRegistration,
  updateRedirectUris,
} from '#clients/registration-decision.ts';
import {
  assertOAuthRefusal,
  buildCodeGrantForm,
  buildRefreshGrantForm,
  CALLBACK_URL,
  readSignInCode,
  startOAuthTestApp,
} from '#test/oauth/oauth-test-app.ts';
import { registerSampleAgent, sampleRegistration } from './sample-registration.ts';

const office = await startOAuthTestApp({ after });
const { services, get } = office;
const NEW_URL = 'https://moved.example/callback';
const move = { add: [NEW_URL], remove: [CALLBACK_URL] };
const forPeople = {
  scopes: ['case:read', 'case:write'],
  grants: ['authorization_code', 'refresh_token'],
} as const;

assert.deepEqual(sampleRegistration.redirect_uris, [CALLBACK_URL]);

async function createMovingClient(): Promise<ClientCredentials & { readonly registrationId: string }> {
  const registration = await registerSampleAgent(get);
  await approveRegistration(services, registration.id, forPeople, null);
  const { client_id, client_secret } = (await registration.poll()).json;
  return {
    registrationId: registration.id,
    clientId: String(client_id),
    clientSecret: String(client_secret),
  };
}

test('after a move people are sent to the new address, and none is sent to the previous one', async () => {
  const client = await createMovingClient();
  const { registration } = await updateRedirectUris(services, client.clientId, move, null);
  assert.deepEqual(JSON.parse(registration.redirect_uris), [NEW_URL]);
  const callback = await office.authorize(
    office.buildAuthorizeUrl(client.clientId, { redirect_uri: NEW_URL }),
  );
  assert.equal(callback.origin, 'https://moved.example');
  const form = { ...buildCodeGrantForm(callback.searchParams.get('code') ?? ''), redirect_uri: NEW_URL };
  assert.equal((await office.requestToken(client, form)).status, 200);
  const previous = await get(office.buildAuthorizeUrl(client.clientId).slice(office.origin.length));
  assert.equal(previous.status, 400);
  assert.equal(previous.headers['location'], undefined);
});

test('a code for an address that was removed is refused; tokens that were issued stay', async () => {
  const client = await createMovingClient();
  const tokens = await office.obtainTokens(client);
  const callback = await office.authorize(office.buildAuthorizeUrl(client.clientId));
  await updateRedirectUris(services, client.clientId, move, null);
  const form = buildCodeGrantForm(callback.searchParams.get('code') ?? '');
  assertOAuthRefusal(await office.requestToken(client, form), 400, 'invalid_grant');
  assert.equal((await office.requestOrders(`Bearer ${tokens.access_token}`)).status, 200);
  assert.equal((await office.requestToken(client, buildRefreshGrantForm(tokens.refresh_token))).status, 200);
});

test('a sign-in that began before goes nowhere: neither its consent nor its refusal reaches the removed address', async () => {
  for (const step of ['consent', 'cancel']) {
    const client = await createMovingClient();
    const browser = office.openBrowser();
    await browser.open(office.buildAuthorizeUrl(client.clientId));
    await browser.submitForm('address', { address: `${step}@example.com` });
    const code = readSignInCode((await office.readEmails()).at(-1));
    await browser.submitForm('code', { code });
    await updateRedirectUris(services, client.clientId, move, null);
    const { status, text } = await browser.submitForm(step, {});
    assert.deepEqual([status, browser.getExternalRedirect()], [403, null], text);
  }
});

test('a registration that waits is changed too, and approved with its new address', async () => {
  const registration = await registerSampleAgent(get);
  await updateRedirectUris(services, registration.id, move, null);
  await approveRegistration(services, registration.id, forPeople, null);
  const client = (await registration.poll()).json;
  const page = await get(
    office
      .buildAuthorizeUrl(String(client['client_id']), { redirect_uri: NEW_URL })
      .slice(office.origin.length),
  );
  assert.equal(page.status, 303);
});

test('an app that registered a scheme of its own gets its code there, and can move to another one', async () => {
  const [first, second] = ['com.example.app:/callback', 'com.example.other://callback'];
  const { id, poll } = await registerSampleAgent(get, { redirect_uris: [first] });
  await approveRegistration(services, id, forPeople, null);
  const { client_id, client_secret } = (await poll()).json;
  const client = { clientId: String(client_id), clientSecret: String(client_secret) };
  const signIn = async (redirect_uri: string) => {
    const callback = await office.authorize(office.buildAuthorizeUrl(client.clientId, { redirect_uri }));
    assert.ok(callback.href.startsWith(`${redirect_uri}?`), callback.href);
    const form = buildCodeGrantForm(callback.searchParams.get('code') ?? '');
    return await office.requestToken(client, { ...form, redirect_uri });
  };
  assert.equal((await signIn(first)).status, 200);
  await updateRedirectUris(services, id, { add: [second], remove: [first] }, null);
  assert.equal((await signIn(second)).status, 200);
});

test('what a registration could not name cannot be added, and nothing else is changed with it', async () => {
  const client = await createMovingClient();
  for (const add of [
    ['http://moved.example/callback'],
    ['example:/done'],
    [NEW_URL, 'https://moved.example/#part'],
    Array.from({ length: 10 }, (_each, index) => `https://moved.example/${index}`),
  ])
    await assert.rejects(updateRedirectUris(services, client.clientId, { add, remove: [] }, null), {
      code: 'validation_failed',
    });
  await assert.rejects(updateRedirectUris(services, client.clientId, { add: [], remove: [NEW_URL] }, null), {
    code: 'validation_failed',
  });
  // A client that acts for people needs a redirect address.
  await assert.rejects(
    updateRedirectUris(services, client.clientId, { add: [], remove: [CALLBACK_URL] }, null),
    { code: 'registration_state' },
  );
  const { id: rejected } = await registerSampleAgent(get);
  await rejectRegistration(services, rejected, null);
  await assert.rejects(updateRedirectUris(services, rejected, move, null), { code: 'registration_state' });
  const row = await services.store.records
    .selectFrom('clients')
    .select('redirect_uris')
    .where('id', '=', client.clientId)
    .executeTakeFirstOrThrow();
  assert.deepEqual(JSON.parse(row.redirect_uris), [CALLBACK_URL]);
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
