/** Specification 2.5: the fields of a registration (`test/agents/registration.test.ts` has the wrong ones). */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { postRegistration, sampleRegistration } from '#test/agents/sample-registration.ts';
import { buildTestApp } from '#test/test-app.ts';

const { get } = await buildTestApp({ after });

test('each kind of identity and of credentials is taken, as one word or as a list', async () => {
  for (const supported_identity_types of ['email', 'did', 'oauth'])
    for (const credential_types of ['bearer', 'dpop', ['bearer'], ['bearer', 'dpop']]) {
      const sent = { ...sampleRegistration, supported_identity_types, credential_types };
      assert.equal((await postRegistration(get, sent)).status, 202, JSON.stringify(sent));
    }
});
