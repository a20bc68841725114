/** Every kind of client is accepted by oidc-provider, with each of its redirect URIs and only its grants. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { clientCredentialsForm } from './oauth-test-app.ts';
import { testApp } from './shared-test-app.ts';

const usable: [what: string, uris: readonly string[]][] = [
  ['a site', ['https://agent.example/callback', 'https://agent.example/other?x=1']],
  ['an app with a port', ['http://127.0.0.1/done', 'http://localhost/done', 'http://[::1]/done']],
  ['an app with a scheme of its own', ['com.example.agent:/done']],
  ['an app that has a site too', ['https://agent.example/callback', 'http://127.0.0.1/done']],
];

for (const [what, redirectUris] of usable)
  test(`${what} may send people to sign in, with each of its redirect URIs`, async () => {
    const { clientId } = await testApp.createClient({ redirectUris });
    for (const redirect_uri of redirectUris) {
      const { status, text } = (await testApp.openAuthorization(clientId, { redirect_uri })).getPage();
      assert.equal(status, 200, `${redirect_uri}: ${text}`);
    }
  });

test('a client without users needs no redirect URI', async () => {
  const client = await testApp.createClient({ grants: ['client_credentials'], redirectUris: [] });
  assert.equal((await testApp.requestToken(client, clientCredentialsForm)).status, 200);
});

test('a client without the refresh grant gets no refresh token', async () => {
  const client = await testApp.createClient({ grants: ['authorization_code'] });
  const tokens = await testApp.obtainTokens(client);
  assert.equal(tokens.refresh_token, undefined);
});
