/** The service with OAuth clients and users who can sign in, whose mail tests can read. */
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { ClientCredentials, NewClient } from '#clients/clients.ts';
import { createSignInCodeMailer, SIGN_IN_CODE_TOPIC } from '#oauth/sign-in/email-code.ts';
import type { MailMessage } from '#platform/mail/mail.ts';
import { SCOPES } from '#platform/scopes.ts';
import { createOutboxWorker } from '#store/outbox-worker.ts';
import { type CleanupScope, withReverseCleanup } from '#test/cleanup.ts';
import { createDataFolder } from '#test/data-folder.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';
import { createClient } from '#test/oauth/created-client.ts';
import { buildTestApp, type TestApp, type TestAppOptions } from '#test/test-app.ts';
import { openScriptlessBrowser, type ScriptlessBrowser } from './scriptless-browser.ts';

export const CALLBACK_URL = 'https://agent.example/callback';
export const PKCE_VERIFIER = randomBytes(32).toString('base64url');
export const PKCE_CHALLENGE = createHash('sha256').update(PKCE_VERIFIER).digest('base64url');

export interface OAuthTestApp extends TestApp {
  readonly origin: string;
  readonly createClient: (changes?: Partial<NewClient>) => Promise<ClientCredentials>;
  /** Sends the mail that waits in the outbox; returns all e-mails so far. */
  readonly readEmails: () => Promise<readonly MailMessage[]>;
  readonly openBrowser: () => ScriptlessBrowser;
  /** The URL that starts an authorization; a parameter set to null is left out. */
  readonly buildAuthorizeUrl: (clientId: string, changes?: Record<string, string | null>) => string;
  /** A person signs in and consents; returns the callback URL of the client. */
  readonly authorize: (url: string, person?: Person) => Promise<URL>;
  readonly requestToken: (
    client: ClientCredentials,
    form: Record<string, string>,
    headers?: Record<string, string>,
  ) => Promise<HttpsResponse>;
  readonly revokeToken: (client: ClientCredentials, token: string) => Promise<HttpsResponse>;
  /** Requests an operation that needs `case:write`. */
  readonly requestOrders: (
    authorization?: string,
    headers?: Record<string, string>,
  ) => Promise<HttpsResponse>;
  /** Runs the whole code grant. */
  readonly obtainTokens: (client: ClientCredentials, person?: Person) => Promise<Tokens>;
}

interface Person {
  readonly browser?: ScriptlessBrowser;
  readonly address?: string;
  /** Ticks the box that lets the client learn the address; off by default. */
  readonly sharesEmail?: boolean;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

export async function startOAuthTestApp(
  owner: CleanupScope,
  changes: TestAppOptions = {},
): Promise<OAuthTestApp> {
  const t = withReverseCleanup(owner);
  const dataDir = changes.env?.['DATA_DIR'] ?? (await createDataFolder(t));
  const built = await buildTestApp(t, { ...changes, env: { ...changes.env, DATA_DIR: dataDir } });
  await trustCertificate(dataDir);
  return toOAuthTestApp(built);
}

/** Builds the same on top of an app that already runs. */
export function toOAuthTestApp(built: TestApp): OAuthTestApp {
  const { services, get } = built;
  const origin = services.addresses.site;
  const post = createMailbox(built);
  const openNewBrowser = () => openScriptlessBrowser(get, origin);

  const buildAuthorizeUrl: OAuthTestApp['buildAuthorizeUrl'] = (clientId, changes = {}) => {
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: CALLBACK_URL,
      scope: 'case:read case:write',
      code_challenge: PKCE_CHALLENGE,
      code_challenge_method: 'S256',
      state: 'a-state',
      ...changes,
    };
    const entries = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
    return `${origin}/oauth2/authorize?${new URLSearchParams(entries)}`;
  };

  const authorizeClient: OAuthTestApp['authorize'] = async (
    url,
    { browser: used = openNewBrowser(), address = `${randomUUID()}@example.com`, sharesEmail = false } = {},
  ) => {
    await used.open(url);
    await used.submitForm('address', { address });
    const email = (await post()).at(-1);
    await used.submitForm('code', { code: readSignInCode(email) });
    await used.submitForm('consent', sharesEmail ? { share_email: 'yes' } : {});
    const callback = used.getExternalRedirect();
    assert.ok(callback, used.getPage().text);
    return callback;
  };

  const createFormSender = (path: string, { clientId, clientSecret }: ClientCredentials) => {
    return async (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      await get(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`,
          ...headers,
        },
        body: new URLSearchParams(fields).toString(),
      });
  };
  const requestToken: OAuthTestApp['requestToken'] = (client, fields, headers) =>
    createFormSender('/oauth2/token', client)(fields, headers);

  return {
    ...built,
    origin,
    openBrowser: openNewBrowser,
    readEmails: post,
    buildAuthorizeUrl,
    authorize: authorizeClient,
    requestToken,
    createClient: (wanted = {}) =>
      createClient(services, {
        name: 'Sample Agent',
        scopes: SCOPES,
        grants: ['authorization_code', 'client_credentials', 'refresh_token'],
        redirectUris: [CALLBACK_URL],
        credentials: 'bearer dpop',
        ...wanted,
      }),
    revokeToken: (client, value) =>
      createFormSender('/hcgi/platform/api/oauth2/revoke', client)({ token: value }),
    requestOrders: (authorization, headers = {}) =>
      get('/api/orders', { headers: { ...headers, ...(authorization && { authorization }) } }),
    obtainTokens: async (client, person) => {
      const callback = await authorizeClient(buildAuthorizeUrl(client.clientId), person);
      const answer = await requestToken(client, buildCodeGrantForm(callback.searchParams.get('code') ?? ''));
      assert.equal(answer.status, 200, answer.text);
      return answer.json as unknown as Tokens;
    },
  };
}

export function buildCodeGrantForm(code: string): Record<string, string> {
  return { grant_type: 'authorization_code', code, redirect_uri: CALLBACK_URL, code_verifier: PKCE_VERIFIER };
}

export function buildRefreshGrantForm(refreshToken: string): Record<string, string> {
  return { grant_type: 'refresh_token', refresh_token: refreshToken };
}

export function buildTokenRequest({ clientId, clientSecret }: ClientCredentials) {
  return {
    path: '/oauth2/token',
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
    },
    body: 'grant_type=client_credentials',
  } as const;
}

/** Returns the header that the client's requests need. */
export async function requestBearer(
  get: HttpsClient,
  client: ClientCredentials,
): Promise<{ authorization: string }> {
  const { path, ...request } = buildTokenRequest(client);
  const { json } = await get(path, request);
  return { authorization: `Bearer ${json['access_token']}` };
}

export const clientCredentialsForm = { grant_type: 'client_credentials' } as const;

export function readSignInCode(email: MailMessage | undefined): string {
  const code = /^\d{6}$/m.exec(email?.text ?? '')?.[0];
  assert.ok(code, 'no e-mail with a code came');
  return code;
}

export function assertOAuthRefusal(answer: HttpsResponse, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.json['error']], [status, error], answer.text);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
  assert.equal(answer.headers['cache-control'], 'no-store');
}

function createMailbox({ services }: TestApp): () => Promise<readonly MailMessage[]> {
  const emails: MailMessage[] = [];
  const handler = createSignInCodeMailer({
    ...services,
    siteName: 'Inquiry Office',
    sendMail: async (email) => void emails.push(email),
  });
  const work = createOutboxWorker({ ...services, handlers: { [SIGN_IN_CODE_TOPIC]: handler } });
  return async () => {
    await work();
    return emails;
  };
}

/** Trusts the service in clients that use the global `fetch`; the certificate is still checked. */
export async function trustCertificate(dataDir: string): Promise<void> {
  const certificate = await readFile(join(dataDir, 'tls', 'localhost.crt'), 'utf8');
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
}
