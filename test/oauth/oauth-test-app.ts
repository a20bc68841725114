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

export const REVOCATION_PATH = '/hcgi/platform/api/oauth2/revoke';
export const CLAIMS_PATH = '/hcgi/platform/api/collections/users/auth-refresh';
export const CALLBACK_URL = 'https://agent.example/callback';
export const PKCE_VERIFIER = randomBytes(32).toString('base64url');
export const PKCE_CHALLENGE = createHash('sha256').update(PKCE_VERIFIER).digest('base64url');

type Fields = Record<string, string>;
type AuthorizationChanges = Readonly<Record<string, string | null>>;

/** A client that may use every grant with every scope. */
export const sampleClient: NewClient = {
  name: 'Sample Agent',
  scopes: SCOPES,
  grants: ['authorization_code', 'client_credentials', 'refresh_token'],
  redirectUris: [CALLBACK_URL],
  credentials: 'bearer dpop',
};

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

export type OAuthTestApp = ReturnType<typeof toOAuthTestApp>;

/** Builds the same on top of an app that already runs. */
export function toOAuthTestApp(built: TestApp) {
  const { services, get } = built;
  const origin = services.addresses.site;
  const openBrowser = () => openScriptlessBrowser(get, origin);
  const readEmails = createMailbox(built);

  const buildUrl = (clientId: string, changes?: AuthorizationChanges) =>
    buildAuthorizeUrl(origin, clientId, changes);

  const openAuthorization = async (clientId: string, changes?: AuthorizationChanges) => {
    const browser = openBrowser();
    await browser.open(buildUrl(clientId, changes));
    return browser;
  };

  /** For an authorization that is refused at once: the error that the client gets. */
  const readAuthorizationError = async (clientId: string, changes: AuthorizationChanges) => {
    const browser = await openAuthorization(clientId, changes);
    return browser.getExternalRedirect()?.searchParams.get('error');
  };

  /** Types the code of the last e-mail. */
  const submitCode = async (browser: ScriptlessBrowser) =>
    await browser.submitForm('code', { code: readSignInCode((await readEmails()).at(-1)) });

  /** A person signs in and consents; returns the callback URL of the client. */
  const authorize = async (
    url: string,
    { browser = openBrowser(), address = `${randomUUID()}@example.com`, sharesEmail = false }: Person = {},
  ) => {
    await browser.open(url);
    await browser.submitForm('address', { address });
    await submitCode(browser);
    await browser.submitForm('consent', sharesEmail ? { share_email: 'yes' } : {});
    const callback = browser.getExternalRedirect();
    assert.ok(callback, browser.getPage().text);
    return callback;
  };

  const obtainCodeForm = async (
    { clientId }: ClientCredentials,
    changes?: AuthorizationChanges,
    person?: Person,
  ) => buildCodeGrantForm(await authorize(buildUrl(clientId, changes), person));

  const requestToken = (client: ClientCredentials, fields: Fields, headers: Fields = {}) =>
    postForm(get, '/oauth2/token', fields, { authorization: formatBasic(client), ...headers });

  /** Requests an operation that needs `case:write`. */
  const requestOrders = (authorization?: string, headers: Fields = {}) =>
    get('/api/orders', { headers: { ...headers, ...(authorization && { authorization }) } });

  return {
    ...built,
    origin,
    openBrowser,
    /** Sends the mail that waits in the outbox; returns all e-mails so far. */
    readEmails,
    buildAuthorizeUrl: buildUrl,
    openAuthorization,
    readAuthorizationError,
    submitCode,
    authorize,
    obtainCodeForm,
    requestToken,
    requestOrders,
    createClient: (wanted: Partial<NewClient> = {}) => createClient(services, { ...sampleClient, ...wanted }),
    /** Asserts that the token endpoint refuses the form. */
    assertRefused: async (client: ClientCredentials, form: Fields, error: string, headers: Fields = {}) => {
      const answer = await requestToken(client, form, headers);
      assertOAuthRefusal(answer, error === 'invalid_client' ? 401 : 400, error);
      return answer;
    },
    /** The Authorization header with a token of the client itself. */
    obtainBearer: async (client: ClientCredentials, fields: Fields = {}) => {
      const { json, text } = await requestToken(client, { ...clientCredentialsForm, ...fields });
      assert.ok(typeof json['access_token'] === 'string', text);
      return `Bearer ${json['access_token']}`;
    },
    revokeToken: (client: ClientCredentials, token: string) =>
      postForm(get, REVOCATION_PATH, { token }, { authorization: formatBasic(client) }),
    isTokenAccepted: async (token: unknown) => (await requestOrders(`Bearer ${token}`)).status === 200,
    getClaims: (token: unknown) => get(CLAIMS_PATH, { headers: { authorization: `Bearer ${token}` } }),
    /** Runs the whole code grant. */
    obtainTokens: async (client: ClientCredentials, person?: Person): Promise<Tokens> => {
      const answer = await requestToken(client, await obtainCodeForm(client, {}, person));
      assert.equal(answer.status, 200, answer.text);
      return answer.json as unknown as Tokens;
    },
  };
}

/** The URL that starts an authorization; a parameter set to null is left out. */
export function buildAuthorizeUrl(
  origin: string,
  clientId: string,
  changes: AuthorizationChanges = {},
): string {
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
}

export async function postForm(
  get: HttpsClient,
  path: string,
  fields: Fields,
  headers: Fields = {},
): Promise<HttpsResponse> {
  return await get(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

export function formatBasic({ clientId, clientSecret }: ClientCredentials): string {
  return `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`;
}

/** The request with which a client exchanges the code of its callback. */
export function buildCodeGrantForm(callback: URL | null, redirect_uri = CALLBACK_URL): Fields {
  const code = callback?.searchParams.get('code') ?? '';
  return { grant_type: 'authorization_code', code, redirect_uri, code_verifier: PKCE_VERIFIER };
}

export function buildRefreshGrantForm(refreshToken: unknown): Fields {
  return { grant_type: 'refresh_token', refresh_token: String(refreshToken) };
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
  // RFC 6749 §5.2.
  if (status === 401) assert.match(answer.headers['www-authenticate'] ?? '', /^Basic realm="https:/);
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
