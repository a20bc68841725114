/** The service with clients and people who can sign in: the letters that it sends are read here. */
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Credentials, createClient, type NewClient } from '#clients/clients.ts';
import { CODE_TOPIC, codeMailer } from '#oauth/sign-in/email-code.ts';
import type { Letter } from '#platform/mail.ts';
import { scopes } from '#platform/scopes.ts';
import { outboxWorker } from '#store/outbox-worker.ts';
import { type BuiltApp, builtApp, type Changes } from '#test/built-app.ts';
import { lastFirst, type Owner, ownFolder } from '#test/folder.ts';
import type { Answer } from '#test/https-client.ts';
import { type Browser, openBrowser } from './browser.ts';

export const CALLBACK = 'https://agent.example/callback';
export const VERIFIER = randomBytes(32).toString('base64url');
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export interface OAuthOffice extends BuiltApp {
  readonly origin: string;
  readonly client: (changes?: Partial<NewClient>) => Promise<Credentials>;
  /** Sends what waits in the outbox, and gives all letters so far. */
  readonly letters: () => Promise<readonly Letter[]>;
  readonly browser: () => Browser;
  /** The address that begins an authorization; a parameter that is null is left out. */
  readonly authorizeUrl: (clientId: string, changes?: Record<string, string | null>) => string;
  /** A person signs in and allows it; where the client is called back. */
  readonly authorize: (url: string, person?: Person) => Promise<URL>;
  readonly token: (
    who: Credentials,
    form: Record<string, string>,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  readonly revoke: (who: Credentials, token: string) => Promise<Answer>;
  /** An operation that needs `case:write`. */
  readonly orders: (authorization?: string, headers?: Record<string, string>) => Promise<Answer>;
  /** All of the code grant. */
  readonly tokensFor: (who: Credentials, person?: Person) => Promise<Tokens>;
}

interface Person {
  readonly browser?: Browser;
  readonly address?: string;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
}

export async function openOffice(owner: Owner, changes: Changes = {}): Promise<OAuthOffice> {
  const t = lastFirst(owner);
  const dataDir = changes.env?.['DATA_DIR'] ?? (await ownFolder(t));
  const built = await builtApp(t, { ...changes, env: { ...changes.env, DATA_DIR: dataDir } });
  await trust(dataDir);
  return officeOf(built);
}

/** The same over an app that stands already. */
export function officeOf(built: BuiltApp): OAuthOffice {
  const { services, get } = built;
  const origin = services.addresses.site;
  const post = mailbox(built);
  const browser = () => openBrowser(get, origin);

  const authorizeUrl: OAuthOffice['authorizeUrl'] = (clientId, parameters = {}) => {
    const asked = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: CALLBACK,
      scope: 'case:read case:write',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      state: 'a-state',
      ...parameters,
    };
    const given = Object.entries(asked).filter((pair): pair is [string, string] => pair[1] !== null);
    return `${origin}/oauth2/authorize?${new URLSearchParams(given)}`;
  };

  const authorize: OAuthOffice['authorize'] = async (
    url,
    { browser: used = browser(), address = `${randomUUID()}@example.com` } = {},
  ) => {
    await used.open(url);
    await used.send('address', { address });
    const letter = (await post()).at(-1);
    await used.send('code', { code: codeIn(letter) });
    await used.send('consent');
    const landed = used.awayTo();
    assert.ok(landed, used.page().text);
    return landed;
  };

  const form = (path: string, { clientId, clientSecret }: Credentials) => {
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
  const token: OAuthOffice['token'] = (who, fields, headers) => form('/oauth2/token', who)(fields, headers);

  return {
    ...built,
    origin,
    browser,
    letters: post,
    authorizeUrl,
    authorize,
    token,
    client: (wanted = {}) =>
      createClient(services, {
        name: 'Sample Agent',
        scopes,
        grants: ['authorization_code', 'client_credentials', 'refresh_token'],
        redirectUris: [CALLBACK],
        credentials: 'bearer dpop',
        ...wanted,
      }),
    revoke: (who, value) => form('/hcgi/platform/api/oauth2/revoke', who)({ token: value }),
    orders: (authorization, headers = {}) =>
      get('/api/orders', { headers: { ...headers, ...(authorization && { authorization }) } }),
    tokensFor: async (who, person) => {
      const landed = await authorize(authorizeUrl(who.clientId), person);
      const answer = await token(who, codeForm(landed.searchParams.get('code') ?? ''));
      assert.equal(answer.status, 200, answer.text);
      return answer.json as unknown as Tokens;
    },
  };
}

export function codeForm(code: string): Record<string, string> {
  return { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
}

export function refreshForm(refreshToken: string): Record<string, string> {
  return { grant_type: 'refresh_token', refresh_token: refreshToken };
}

export const machineForm = { grant_type: 'client_credentials' } as const;

export function codeIn(letter: Letter | undefined): string {
  const code = /^\d{6}$/m.exec(letter?.text ?? '')?.[0];
  assert.ok(code, 'no letter with a code came');
  return code;
}

export function isRefused(answer: Answer, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.json['error']], [status, error], answer.text);
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
  assert.equal(answer.headers['cache-control'], 'no-store');
}

function mailbox({ services }: BuiltApp): () => Promise<readonly Letter[]> {
  const letters: Letter[] = [];
  const handler = codeMailer({
    ...services,
    siteName: 'Inquiry Office',
    sendMail: async (letter) => void letters.push(letter),
  });
  const work = outboxWorker({ ...services, handlers: { [CODE_TOPIC]: handler } });
  return async () => {
    await work();
    return letters;
  };
}

/** For clients that use the platform's own `fetch`: the certificate is checked, not waved through. */
async function trust(dataDir: string): Promise<void> {
  const certificate = await readFile(join(dataDir, 'tls', 'localhost.crt'), 'utf8');
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
}
