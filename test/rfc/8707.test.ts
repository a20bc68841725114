/** RFC 8707: resource indicators. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import {
  assertOAuthRefusal,
  buildCodeGrantForm,
  buildRefreshGrantForm,
  clientCredentialsForm,
  startOAuthTestApp,
} from '#test/oauth/oauth-test-app.ts';

const office = await startOAuthTestApp({ after });
const { origin } = office;
const agent = await office.client();

test('the site and the API are both resources, with or without a trailing slash, and yield the same token', async () => {
  for (const resource of [origin, `${origin}/`, `${origin}/api`, `${origin}/api/`]) {
    const { status, json } = await office.token(agent, { ...clientCredentialsForm, resource });
    assert.equal(status, 200);
    assert.equal((await office.orders(`Bearer ${json['access_token']}`)).status, 200, resource);
  }
});

test('an unknown resource is refused at the token endpoint, before sign-in, and when a code or token is used', async () => {
  for (const resource of [
    'https://elsewhere.example',
    `${origin}/other`,
    'not-an-address',
    `${origin}#part`,
  ]) {
    assertOAuthRefusal(
      await office.token(agent, { ...clientCredentialsForm, resource }),
      400,
      'invalid_target',
    );
    const browser = office.browser();
    await browser.open(office.authorizeUrl(agent.clientId, { resource }));
    assert.equal(browser.awayTo()?.searchParams.get('error'), 'invalid_target');
  }
  const landed = await office.authorize(office.authorizeUrl(agent.clientId, { resource: origin }));
  const form = {
    ...buildCodeGrantForm(landed.searchParams.get('code') ?? ''),
    resource: 'https://elsewhere.example',
  };
  assertOAuthRefusal(await office.token(agent, form), 400, 'invalid_target');
});

test('a resource named at the start need not be named again', async () => {
  const landed = await office.authorize(office.authorizeUrl(agent.clientId, { resource: origin }));
  const first = await office.token(agent, buildCodeGrantForm(landed.searchParams.get('code') ?? ''));
  assert.equal(first.status, 200, first.text);
  const next = await office.token(agent, {
    ...buildRefreshGrantForm(String(first.json['refresh_token'])),
    resource: origin,
  });
  assert.equal(next.status, 200, next.text);
  assert.equal((await office.orders(`Bearer ${next.json['access_token']}`)).status, 200);
});
