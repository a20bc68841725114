/** The service with a host whose documents describe clients, and what such clients send. */
import assert from 'node:assert/strict';
import type { CleanupScope } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { browserHeaders } from '#test/site/every-page.ts';
import { LOOPBACK_REDIRECT, startDocumentHost } from './assistants.ts';
import { type OAuthTestApp, PKCE_VERIFIER, startOAuthTestApp } from './oauth-test-app.ts';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

export async function startDocumentTestApp(t: CleanupScope) {
  const documents = await startDocumentHost(t);
  const { host } = documents;
  const testApp = await startOAuthTestApp(t, { env: { CLIENT_DOCUMENT_HOSTS: host } });

  const openAuthorization = async (
    clientId: string,
    { get, buildAuthorizeUrl, origin }: OAuthTestApp = testApp,
  ): Promise<HttpsResponse> => {
    const url = buildAuthorizeUrl(clientId, { redirect_uri: LOOPBACK_REDIRECT });
    return await get(url.slice(origin.length), { headers: browserHeaders });
  };

  /** As a public client sends it: with its id and no secret. */
  const requestToken = async (
    clientId: string,
    fields: Record<string, string>,
    { get }: OAuthTestApp = testApp,
    headers: Record<string, string> = {},
  ): Promise<HttpsResponse> =>
    await get('/oauth2/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ client_id: clientId, ...fields }).toString(),
    });

  const obtainTokens = async (clientId: string, app: OAuthTestApp = testApp): Promise<Tokens> => {
    const url = app.buildAuthorizeUrl(clientId, { redirect_uri: LOOPBACK_REDIRECT });
    const callback = await app.authorize(url);
    const { status, json, text } = await requestToken(clientId, buildCodeForm(callback), app);
    assert.equal(status, 200, text);
    return json as unknown as Tokens;
  };

  return { documents, host, testApp, openAuthorization, requestToken, obtainTokens };
}

export function buildCodeForm(callback: URL): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code: callback.searchParams.get('code') ?? '',
    redirect_uri: LOOPBACK_REDIRECT,
    code_verifier: PKCE_VERIFIER,
  };
}
