/** RFC 7636: PKCE with S256 is always required. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { assertOAuthRefusal, PKCE_CHALLENGE, PKCE_VERIFIER } from '#test/oauth/oauth-test-app.ts';
import { testApp } from '#test/oauth/shared-test-app.ts';

const agent = await testApp.createClient();

const refusals: [why: string, parameters: Record<string, string | null>][] = [
  ['no challenge', { code_challenge: null, code_challenge_method: null }],
  ['a method without a challenge', { code_challenge: null }],
  ['the method plain', { code_challenge: PKCE_VERIFIER, code_challenge_method: 'plain' }],
  ['a challenge whose method is left to the default, which is plain', { code_challenge_method: null }],
  ['a challenge that no SHA-256 has', { code_challenge: 'short' }],
];

for (const [why, parameters] of refusals)
  test(`an authorization with ${why} is refused before anyone signs in`, async () => {
    const { searchParams } = (
      await testApp.openAuthorization(agent.clientId, parameters)
    ).getExternalRedirect()!;
    assert.deepEqual([searchParams.get('error'), searchParams.get('code')], ['invalid_request', null]);
  });

/** Only a verifier that might be right ends the code. */
const verifiers: [why: string, verifier: string | undefined, error: string][] = [
  ['no verifier', undefined, 'invalid_request'],
  ['a verifier that is too short', PKCE_VERIFIER.slice(0, 42), 'invalid_request'],
  ['another verifier', 'a'.repeat(43), 'invalid_grant'],
  ['the challenge in its place', PKCE_CHALLENGE, 'invalid_grant'],
];

for (const [why, verifier, error] of verifiers)
  test(`a code with ${why} gets no token`, async () => {
    const form = await testApp.obtainCodeForm(agent);
    const { code_verifier: _right, ...without } = form;
    const wrong = { ...without, ...(verifier && { code_verifier: verifier }) };
    const answer = await testApp.requestToken(agent, wrong);
    assertOAuthRefusal(answer, 400, error);
    assert.match(String(answer.json['error_description']), /code_verifier/);
    const again = await testApp.requestToken(agent, form);
    assert.equal(again.status, error === 'invalid_grant' ? 400 : 200, 'a wrong one ends the code');
  });
