/** The service with a host whose documents describe clients, and what such clients send. */
import assert from 'node:assert/strict';
import type { CleanupScope } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { browserHeaders } from '#test/site/every-page.ts';
import { LOOPBACK_REDIRECT, startDocumentHost } from './assistants.ts';
import { buildCodeGrantForm, type OAuthTestApp, postForm, startOAuthTestApp } from './oauth-test-app.ts';

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

type Fields = Record<string, string>;

const redirect = { redirect_uri: LOOPBACK_REDIRECT };

export async function startDocumentTestApp(t: CleanupScope) {
  const documents = await startDocumentHost(t);
  const { host } = documents;
  const testApp = await startOAuthTestApp(t, { env: { CLIENT_DOCUMENT_HOSTS: host } });

  const buildUrl = (clientId: string, app: OAuthTestApp = testApp) =>
    app.buildAuthorizeUrl(clientId, redirect);

  const openAuthorization = async (clientId: string, app: OAuthTestApp = testApp): Promise<HttpsResponse> =>
    await app.get(buildUrl(clientId, app).slice(app.origin.length), { headers: browserHeaders });

  /** As a public client sends it: with its id and no secret. */
  const requestToken = async (
    clientId: string,
    fields: Fields,
    { get }: OAuthTestApp = testApp,
    headers: Fields = {},
  ): Promise<HttpsResponse> =>
    await postForm(get, '/oauth2/token', { client_id: clientId, ...fields }, headers);

  const obtainTokens = async (clientId: string, app: OAuthTestApp = testApp): Promise<Tokens> => {
    const callback = await app.authorize(buildUrl(clientId, app));
    const { status, json, text } = await requestToken(clientId, buildCodeForm(callback), app);
    assert.equal(status, 200, text);
    return json as unknown as Tokens;
  };

  return { documents, host, testApp, buildUrl, openAuthorization, requestToken, obtainTokens };
}

export function buildCodeForm(callback: URL): Fields {
  return buildCodeGrantForm(callback, LOOPBACK_REDIRECT);
}
