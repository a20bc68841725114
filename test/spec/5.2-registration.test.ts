/** Specification 5.2: an agent registers where the metadata says, and an approval returns working credentials. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { approveRegistration } from '#clients/registration-decision.ts';
import {
  pollRegistrationStatus,
  postRegistration,
  sampleRegistration,
} from '#test/agents/sample-registration.ts';
import { clientCredentialsForm, startOAuthTestApp } from '#test/oauth/oauth-test-app.ts';

const testApp = await startOAuthTestApp({ after });
const { get, services, requestToken } = testApp;

test('from the address in the metadata to a token with the scopes that were allowed', async () => {
  const { json: metadata } = await get('/.well-known/oauth-authorization-server');
  const { register_uri } = metadata['agent_auth'] as { register_uri: string };
  assert.equal(new URL(register_uri).pathname, '/auth.md');
  const registered = await postRegistration(get, sampleRegistration);
  assert.equal(registered.status, 202, registered.text);
  const id = String(registered.json['registration_id']);
  const registrationToken = String(registered.json['registration_token']);
  const waiting = await pollRegistrationStatus(get, id, registrationToken);
  assert.equal(waiting.json['client_secret'], undefined, 'nothing before a maintainer has decided');

  await approveRegistration(services, id, { scopes: ['case:read'], grants: ['client_credentials'] }, null);
  const { json } = await pollRegistrationStatus(get, id, registrationToken);
  assert.deepEqual(json['scopes'], ['case:read']);
  const client = { clientId: String(json['client_id']), clientSecret: String(json['client_secret']) };
  const granted = await requestToken(client, clientCredentialsForm);
  assert.deepEqual([granted.status, granted.json['scope']], [200, 'case:read'], granted.text);
});
