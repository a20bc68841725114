/** Specification 2.5: the fields of a registration, and its possible outcomes. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { approveRegistration } from '#clients/registration-decision.ts';
import {
  postRegistration,
  registerSampleAgent,
  sampleRegistration,
} from '#test/agents/sample-registration.ts';
import { buildTestApp } from '#test/test-app.ts';

const { get, services } = await buildTestApp({ after });

test('each kind of identity and of credentials is taken, as one word or as a list', async () => {
  for (const supported_identity_types of ['email', 'did', 'oauth'])
    for (const credential_types of ['bearer', 'dpop', ['bearer'], ['bearer', 'dpop']]) {
      const sent = { ...sampleRegistration, supported_identity_types, credential_types };
      assert.equal((await postRegistration(get, sent)).status, 202, JSON.stringify(sent));
    }
});

test('every field is checked for what it is', async () => {
  const wrong = [
    { client_name: 1 },
    { contact: 'no address' },
    { supported_identity_types: 'passport' },
    { credential_types: 'cookie' },
    { redirect_uris: 'https://agent.example/callback' },
    { redirect_uris: ['not an address'] },
  ];
  for (const changes of wrong) {
    const { status } = await postRegistration(get, { ...sampleRegistration, ...changes });
    assert.equal(status, 422, JSON.stringify(changes));
  }
});

test('it ends in a client id, a client secret and the scopes that a maintainer allows', async () => {
  const sent = await registerSampleAgent(get);
  await approveRegistration(
    services,
    sent.id,
    { scopes: ['pricing:read'], grants: ['client_credentials'] },
    null,
  );
  const { json } = await sent.poll();
  assert.match(String(json['client_id']), /./);
  assert.match(String(json['client_secret']), /./);
  assert.deepEqual(json['scopes'], ['pricing:read']);
});
