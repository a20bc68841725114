/** RFC 6749: the three grants, as our configuration decides them. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { CALLBACK, codeForm, machineForm, openOffice, refreshForm } from '#test/oauth/office.ts';

const office = await openOffice({ after });
const agent = await office.client();

test('a client gets a token for itself, opaque, for ten minutes, with its own scopes when it names none', async () => {
  const answer = await office.token(agent, machineForm);
  assert.equal(answer.status, 200, answer.text);
  const { access_token, ...rest } = answer.json;
  assert.deepEqual(rest, {
    token_type: 'Bearer',
    expires_in: 600,
    scope: 'case:read case:write contact:write pricing:read',
  });
  assert.match(String(access_token), /^[\w-]{43}$/);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal((await office.orders(`Bearer ${access_token}`)).status, 200);
});

test('a person signs in by e-mail, allows it, and the client gets tokens that refresh', async () => {
  const landed = await office.authorize(office.authorizeUrl(agent.clientId));
  assert.equal(landed.origin + landed.pathname, CALLBACK);
  assert.equal(landed.searchParams.get('state'), 'a-state');
  const answer = await office.token(agent, codeForm(landed.searchParams.get('code') ?? ''));
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json['scope'], 'case:read case:write');
  assert.equal(answer.json['id_token'], undefined);
  const next = await office.token(agent, refreshForm(String(answer.json['refresh_token'])));
  assert.equal(next.status, 200, next.text);
  assert.notEqual(next.json['refresh_token'], answer.json['refresh_token']);
  assert.equal((await office.orders(`Bearer ${next.json['access_token']}`)).status, 200);
});
