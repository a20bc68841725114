/** A client of the service: discovers it from its address and calls it with DPoP-bound tokens, renewed as needed. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as oauth from 'oauth4webapi';

/** How long before its expiry a token is renewed: longer than any response takes. */
const RENEWAL_SECONDS = 30;

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

type ServiceCaller = <Result>(method: string, path: string, body?: unknown, key?: string) => Promise<Result>;

interface Catalog {
  readonly linkset: readonly {
    readonly anchor: string;
    readonly 'service-desc': readonly { href: string }[];
  }[];
}

/** Finds authorization server, API and API description from the site's address alone. */
export async function discoverService(site: string): Promise<DiscoveredService> {
  const resource = new URL(site);
  const metadata = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource),
  );
  const issuer = new URL(metadata.authorization_servers?.[0] ?? site);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2' }),
  );
  const { register_uri: registerUri } = server['agent_auth'] as unknown as { register_uri: string };
  const { linkset } = (await fetchJson(new URL('/.well-known/api-catalog', site))) as Catalog;
  const [entry] = linkset;
  if (!entry) throw new Error('the catalog is empty');
  const pricing = (await fetchJson(new URL(`${entry.anchor}/pricing`))) as { terms_version: string };
  return { server, registerUri, api: entry.anchor, termsVersion: pricing.terms_version };
}

/** Fetches public data without a token, because a token would need the operation's scope. */
export async function fetchJson(url: URL): Promise<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return await response.json();
}

/** Registers and polls until a maintainer has decided; the credentials are returned only once. */
export async function registerAgent(
  registerUri: string,
  contact: string,
  pollSeconds: number,
): Promise<AgentCredentials> {
  const response = await fetch(registerUri, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Example Agent',
      contact,
      supported_identity_types: 'email',
      credential_types: 'dpop',
    }),
  });
  const registration = (await response.json()) as Record<string, string>;
  if (response.status !== 202) throw new Error(`registration: ${registration['detail']}`);
  console.log(`Registered as ${registration['registration_id']}; waiting for a maintainer.`);
  for (;;) {
    const poll = await fetch(registration['status_uri'] ?? '', {
      headers: { authorization: `Bearer ${registration['registration_token']}` },
    });
    const status = (await poll.json()) as Record<string, string>;
    if (status['status'] === 'approved')
      return { clientId: status['client_id'] ?? '', clientSecret: status['client_secret'] ?? '' };
    if (status['status'] !== 'pending') throw new Error(`registration: ${status['status'] ?? poll.status}`);
    await sleep((pollSeconds || Number(poll.headers.get('retry-after'))) * 1_000);
  }
}

/** Calls the API with a token that is bound to a key of this process and renewed before it expires. */
export async function createServiceCaller(
  { server, api }: DiscoveredService,
  credentials: AgentCredentials,
): Promise<ServiceCaller> {
  const client: oauth.Client = { client_id: credentials.clientId };
  const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
  let token = { value: '', until: 0 };
  const getFreshToken = async () => {
    if (Date.now() < token.until) return token.value;
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(credentials.clientSecret),
      { scope: 'case:read case:write' },
      { DPoP },
    );
    const issued = await oauth.processClientCredentialsResponse(server, client, response);
    const usableSeconds = (issued.expires_in ?? RENEWAL_SECONDS) - RENEWAL_SECONDS;
    token = { value: issued.access_token, until: Date.now() + usableSeconds * 1_000 };
    return token.value;
  };
  return async <Result>(method: string, path: string, body?: unknown, key?: string): Promise<Result> => {
    const headers = new Headers({
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    });
    const content = body === undefined ? null : JSON.stringify(body);
    const address = new URL(api + path);
    const response = await oauth.protectedResourceRequest(
      await getFreshToken(),
      method,
      address,
      headers,
      content,
      {
        DPoP,
      },
    );
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const isJson = response.headers.get('content-type')?.includes('json');
    return (isJson ? await response.json() : new Uint8Array(await response.arrayBuffer())) as Result;
  };
}
