/** The service as an agent sees it: found from its address, asked with DPoP-bound tokens that renew themselves. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as oauth from 'oauth4webapi';

/** Long enough for every answer, and shorter than any token lasts. */
const EARLY_SECONDS = 30;

export interface DiscoveredService {
  readonly server: oauth.AuthorizationServer;
  readonly registerUri: string;
  readonly api: string;
  readonly termsVersion: string;
}

export interface AgentCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export type ServiceCaller = <Result>(
  method: string,
  path: string,
  body?: unknown,
  key?: string,
) => Promise<Result>;

interface Catalog {
  readonly linkset: readonly {
    readonly anchor: string;
    readonly 'service-desc': readonly { href: string }[];
  }[];
}

/** From nothing but the site's address: resource, authorization server, API and its description. */
export async function discoverService(site: string): Promise<DiscoveredService> {
  const resource = new URL(site);
  const found = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource),
  );
  const issuer = new URL(found.authorization_servers?.[0] ?? site);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2' }),
  );
  const { register_uri: registerUri } = server['agent_auth'] as unknown as { register_uri: string };
  const { linkset } = (await fetchJson(new URL('/.well-known/api-catalog', site))) as Catalog;
  const [entry] = linkset;
  if (!entry) throw new Error('the catalog is empty');
  const description = await fetchJson(new URL(entry['service-desc'][0]?.href ?? ''));
  return { server, registerUri, api: entry.anchor, termsVersion: parseTermsVersion(description) };
}

/** The one value that the description admits. */
function parseTermsVersion(description: unknown): string {
  const found = /"terms_version":\{[^}]*"enum":\["([^"]+)"\]/.exec(JSON.stringify(description))?.[1];
  if (!found) throw new Error('the description names no version of the terms');
  return found;
}

/** For what is public: a token that is shown all the same would have to carry the operation's own scope. */
export async function fetchJson(url: URL): Promise<unknown> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return await answer.json();
}

/** Registers and waits until a maintainer has decided; the credentials come in one answer, once. */
export async function registerAgent(
  registerUri: string,
  contact: string,
  pollSeconds: number,
): Promise<AgentCredentials> {
  const answer = await fetch(registerUri, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Example Agent',
      contact,
      supported_identity_types: 'email',
      credential_types: 'dpop',
    }),
  });
  const registered = (await answer.json()) as Record<string, string>;
  if (answer.status !== 202) throw new Error(`registration: ${registered['detail']}`);
  console.log(`Registered as ${registered['registration_id']}; waiting for a maintainer.`);
  for (;;) {
    const asked = await fetch(registered['status_uri'] ?? '', {
      headers: { authorization: `Bearer ${registered['registration_token']}` },
    });
    const standing = (await asked.json()) as Record<string, string>;
    if (standing['status'] === 'approved')
      return { clientId: standing['client_id'] ?? '', clientSecret: standing['client_secret'] ?? '' };
    if (standing['status'] !== 'pending')
      throw new Error(`registration: ${standing['status'] ?? asked.status}`);
    await sleep((pollSeconds || Number(asked.headers.get('retry-after'))) * 1_000);
  }
}

/** Asks the API with a token that is bound to a key of this process, and renewed before it ends. */
export async function createServiceCaller(
  { server, api }: DiscoveredService,
  who: AgentCredentials,
): Promise<ServiceCaller> {
  const client: oauth.Client = { client_id: who.clientId };
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
  let token = { value: '', until: 0 };
  const getFreshToken = async () => {
    if (Date.now() < token.until) return token.value;
    const asked = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(who.clientSecret),
      { scope: 'case:read case:write' },
      { DPoP },
    );
    const given = await oauth.processClientCredentialsResponse(server, client, asked);
    const lasts = (given.expires_in ?? EARLY_SECONDS) - EARLY_SECONDS;
    token = { value: given.access_token, until: Date.now() + lasts * 1_000 };
    return token.value;
  };
  return async <Result>(method: string, path: string, body?: unknown, key?: string): Promise<Result> => {
    const headers = new Headers({
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    });
    const content = body === undefined ? null : JSON.stringify(body);
    const address = new URL(api + path);
    const answer = await oauth.protectedResourceRequest(
      await getFreshToken(),
      method,
      address,
      headers,
      content,
      {
        DPoP,
      },
    );
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    const isJson = answer.headers.get('content-type')?.includes('json');
    return (isJson ? await answer.json() : new Uint8Array(await answer.arrayBuffer())) as Result;
  };
}
