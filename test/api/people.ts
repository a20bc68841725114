/** People who let a client act for them: for each, the client has an agent with its own token. */
import assert from 'node:assert/strict';
import type { ClientCredentials } from '#clients/clients.ts';
import { SCOPES } from '#platform/scopes.ts';
import { buildCodeGrantForm } from '#test/oauth/oauth-test-app.ts';
import type { ApiAgent, ApiTestbed } from './api-testbed.ts';

type Bed = Pick<ApiTestbed, 'createAgentWithToken' | 'oauth'>;

export async function createAgentForAddress(
  { createAgentWithToken, oauth }: Bed,
  client: ClientCredentials,
  address: string,
): Promise<ApiAgent> {
  const url = oauth.buildAuthorizeUrl(client.clientId, { scope: SCOPES.join(' ') });
  const callback = await oauth.authorize(url, { address });
  return await createAgentFromCallback({ createAgentWithToken, oauth }, client, callback);
}

export async function createAgentByWords(
  { createAgentWithToken, oauth }: Bed,
  client: ClientCredentials,
  words: string,
): Promise<ApiAgent> {
  const browser = await oauth.openAuthorization(client.clientId);
  await browser.submitForm('words', { words });
  await browser.submitForm('consent');
  const callback = browser.getExternalRedirect();
  return await createAgentFromCallback({ createAgentWithToken, oauth }, client, callback);
}

async function createAgentFromCallback(
  { createAgentWithToken, oauth }: Bed,
  client: ClientCredentials,
  callback: URL | null,
): Promise<ApiAgent> {
  const { json, text } = await oauth.requestToken(client, buildCodeGrantForm(callback));
  assert.ok(typeof json['access_token'] === 'string', text);
  return createAgentWithToken(client, `Bearer ${json['access_token']}`);
}

export async function listVisibleCases(agent: ApiAgent): Promise<string[]> {
  const { json, text } = await agent.request('GET', '/cases');
  assert.ok(json['cases'], text);
  return (json['cases'] as { id: string }[]).map(({ id }) => id);
}

export async function listVisibleOrders(agent: ApiAgent): Promise<string[]> {
  const { json, text } = await agent.request('GET', '/orders');
  assert.ok(json['orders'], text);
  return (json['orders'] as { id: string }[]).map(({ id }) => id);
}

/** Tries every operation on a case; returns the responses. */
export async function tryCaseOperations(
  agent: ApiAgent,
  { id, file }: { readonly id: string; readonly file: string },
  message: object,
): Promise<string[]> {
  const answers = [
    await agent.request('GET', `/cases/${id}`),
    await agent.request('GET', `/cases/${id}/messages`),
    await agent.request('GET', `/cases/${id}/files/${file}`),
    await agent.request('POST', `/cases/${id}/messages`, message),
    await agent.request('PUT', `/cases/${id}/retention`, { keep_days: 90 }),
    await agent.request('DELETE', `/cases/${id}`),
  ];
  return answers.map(({ status, text }) => `${status} ${text.replace(/"request_id":"[^"]*"/, '')}`);
}
