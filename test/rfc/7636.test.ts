/** RFC 7636: PKCE with S256 is always required. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  assertOAuthRefusal,
  buildCodeGrantForm,
  PKCE_CHALLENGE,
  PKCE_VERIFIER,
} from '#test/oauth/oauth-test-app.ts';
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
    const browser = testApp.openBrowser();
    await browser.open(testApp.buildAuthorizeUrl(agent.clientId, parameters));
    assert.equal(browser.getExternalRedirect()?.searchParams.get('error'), 'invalid_request');
    assert.equal(browser.getExternalRedirect()?.searchParams.get('code'), null);
  });

const verifiers: [why: string, verifier: string | null][] = [
  ['no verifier', null],
  ['another verifier', 'a'.repeat(43)],
  ['the challenge in its place', PKCE_CHALLENGE],
];

for (const [why, verifier] of verifiers)
  test(`a code with ${why} gets no token`, async () => {
    const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId));
    const { code_verifier: right, ...form } = buildCodeGrantForm(callback.searchParams.get('code') ?? '');
    const answer = await testApp.requestToken(agent, {
      ...form,
      ...(verifier && { code_verifier: verifier }),
    });
    assertOAuthRefusal(answer, 400, verifier ? 'invalid_grant' : 'invalid_request');
    assert.match(String(answer.json['error_description']), /code_verifier/);
    const again = await testApp.requestToken(agent, { ...form, code_verifier: right ?? '' });
    assert.equal(again.status, verifier ? 400 : 200, 'a wrong one ends the code');
  });

test('a verifier that is too short is refused', async () => {
  const callback = await testApp.authorize(testApp.buildAuthorizeUrl(agent.clientId));
  const form = {
    ...buildCodeGrantForm(callback.searchParams.get('code') ?? ''),
    code_verifier: PKCE_VERIFIER.slice(0, 42),
  };
  assertOAuthRefusal(await testApp.requestToken(agent, form), 400, 'invalid_request');
});
