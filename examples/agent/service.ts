/** A client of the service: discovers it from its address, registers, and calls it with DPoP-bound tokens. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as oauth from 'oauth4webapi';
import { AgentFailure, type AgentState, EXIT_USAGE, printText } from './agent-state.ts';

/** How long before its expiry a token is renewed; longer than any response takes. */
const RENEWAL_SECONDS = 30;
/** A page of the longest messages, or a list of everything in a case. */
const MAX_JSON_BYTES = 32 * 1024 * 1024;
/** The longest file of a finding, with padding. */
const MAX_FILE_BYTES = 128 * 1024 * 1024;

/** The context of every step. */
export interface AgentRun {
  readonly state: AgentState;
  readonly server: oauth.AuthorizationServer;
  readonly registerUri: string;
  readonly api: string;
  /** Waits for the usual seconds, or for those set with `--poll`. */
  readonly wait: (usualSeconds: number) => Promise<void>;
}

export interface Agent extends AgentRun {
  /** Returns the API's response, even if it is an error. */
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Response>;
  /** Returns JSON or bytes. */
  readonly call: <Result>(method: string, path: string, body?: unknown) => Promise<Result>;
}

/** Discovers authorization server and API from the site's address, by default that of an earlier run. */
export async function startRun(
  state: AgentState,
  given: string | undefined,
  poll: number,
): Promise<AgentRun> {
  const { site = given } = state.facts;
  if (!site) throw new AgentFailure('Name the site: office-agent register SITE_URL', EXIT_USAGE);
  if (given !== undefined && given !== site)
    throw new AgentFailure(`${state.file} belongs to ${site}; name another one with --state.`, EXIT_USAGE);
  const resource = new URL(site);
  const metadata = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, options),
  );
  const issuer = new URL(metadata.authorization_servers?.[0] ?? site);
  const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
  const server = await oauth.processDiscoveryResponse(issuer, discovery);
  const { register_uri: registerUri } = server['agent_auth'] as unknown as { register_uri: string };
  const { linkset } = await fetchJson<{ readonly linkset: readonly { readonly anchor: string }[] }>(
    new URL('/.well-known/api-catalog', site),
  );
  const [entry] = linkset;
  if (!entry) throw new AgentFailure('The catalog of the site is empty.');
  state.store({ site });
  return { state, server, registerUri, api: entry.anchor, wait: (usual) => sleep((poll || usual) * 1_000) };
}

/** Fails while reading a response that is longer than any legitimate one, before it fills the memory. */
export const fetchBounded: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const { status, statusText, headers } = response;
  let rest = headers.get('content-type') === 'application/octet-stream' ? MAX_FILE_BYTES : MAX_JSON_BYTES;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (bytes, controller) => {
      rest -= bytes.length;
      if (rest < 0) throw new AgentFailure('The service answers with more than it should.');
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body?.pipeThrough(limit) ?? null, { status, statusText, headers });
};

const options = { [oauth.customFetch]: (url: string, init: object) => fetchBounded(url, init) };

/** Fetches public data without a token, because a token would need the operation's scope. */
export async function fetchJson<Result>(url: URL): Promise<Result> {
  const response = await fetchBounded(url);
  if (!response.ok) throw new AgentFailure(`${url}: ${response.status}`);
  return (await response.json()) as Result;
}

/** Registers, and waits until a maintainer has decided; the agent gets its credentials only once. */
export async function ensureRegistered(run: AgentRun, contact: string): Promise<void> {
  const { state } = run;
  if (state.facts.credentials) return;
  const registration = state.facts.registration ?? (await sendRegistration(run, contact));
  state.store({ registration });
  printText(`Registered as ${registration.id}; waiting for a maintainer.`);
  const { statusUri, token } = registration;
  while (!state.facts.credentials) {
    const response = await fetchBounded(statusUri, { headers: { authorization: `Bearer ${token}` } });
    const answer = (await response.json()) as Record<string, string>;
    const { status, client_id: clientId, client_secret: clientSecret } = answer;
    if (status === 'approved') {
      if (!clientId || !clientSecret)
        throw new AgentFailure('The credentials were fetched before; ask the maintainer for a new secret.');
      state.store({ credentials: { clientId, clientSecret } });
      printText(`Approved as client ${clientId}.`);
      return;
    }
    // After too many requests or during a restart, the response says how long to wait.
    const mayFollow = status === 'pending' || response.status === 429 || response.status === 503;
    if (!mayFollow) throw new AgentFailure(`The registration is ${status ?? response.status}.`);
    await run.wait(Number(response.headers.get('retry-after')) || 60);
  }
}

async function sendRegistration({ registerUri }: AgentRun, contact: string) {
  const response = await fetchBounded(registerUri, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'office-agent',
      contact,
      supported_identity_types: 'email',
      credential_types: 'dpop',
    }),
  });
  const answer = (await response.json()) as Record<string, string>;
  if (response.status !== 202) throw new AgentFailure(`The registration was refused: ${answer['detail']}`);
  const { registration_id: id = '', status_uri: statusUri = '', registration_token: token = '' } = answer;
  return { id, statusUri, token };
}

/** Calls the API with a token that is bound to a key of this process and renewed before it expires. */
export async function connectAgent(run: AgentRun): Promise<Agent> {
  const { credentials } = run.state.facts;
  if (!credentials) throw new AgentFailure('Not registered yet: office-agent register SITE_URL', EXIT_USAGE);
  const client: oauth.Client = { client_id: credentials.clientId };
  const withProof = { DPoP: oauth.DPoP(client, await oauth.generateKeyPair('ES256')), ...options };
  let token = { value: '', until: 0 };
  const getFreshToken = async () => {
    if (Date.now() < token.until) return token.value;
    const authentication = oauth.ClientSecretBasic(credentials.clientSecret);
    const issued = await oauth.processClientCredentialsResponse(
      run.server,
      client,
      await oauth.clientCredentialsGrantRequest(
        run.server,
        client,
        authentication,
        { scope: 'case:read case:write' },
        withProof,
      ),
    );
    const usableSeconds = (issued.expires_in ?? RENEWAL_SECONDS) - RENEWAL_SECONDS;
    token = { value: issued.access_token, until: Date.now() + usableSeconds * 1_000 };
    return token.value;
  };
  const send: Agent['send'] = async (method, path, body, given) => {
    const isBytes = body instanceof Uint8Array;
    const headers = new Headers(given);
    if (body !== undefined)
      headers.set('content-type', isBytes ? 'application/octet-stream' : 'application/json');
    const content = isBytes ? Uint8Array.from(body) : (JSON.stringify(body) ?? null);
    const address = new URL(run.api + path);
    const fresh = await getFreshToken();
    return await oauth.protectedResourceRequest(fresh, method, address, headers, content, withProof);
  };
  const call = async <Result>(method: string, path: string, body?: unknown): Promise<Result> => {
    const response = await send(method, path, body);
    if (!response.ok)
      throw new AgentFailure(`${method} ${path}: ${response.status} ${await response.text()}`);
    const isJson = response.headers.get('content-type')?.includes('json');
    return (isJson ? await response.json() : new Uint8Array(await response.arrayBuffer())) as Result;
  };
  return { ...run, send, call };
}
