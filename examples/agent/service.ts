/** A client of the service: discovers it from its address and calls it with DPoP-bound tokens, renewed as needed. */
import * as oauth from 'oauth4webapi';
import { AgentFailure } from './failure.ts';
import type { AgentCredentials } from './state.ts';

/** How long before its expiry a token is renewed: longer than any response takes. */
const RENEWAL_SECONDS = 30;

export interface DiscoveredService {
  readonly server: oauth.AuthorizationServer;
  readonly registerUri: string;
  readonly api: string;
}

interface ServiceRequest {
  /** JSON, or bytes as they are. */
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** The status of a refusal that is an answer, too. */
  readonly alsoAnswers?: number;
}

/** Throws unless the answer is a success, or the refusal that the request names. */
type RequestSender = (method: string, path: string, request?: ServiceRequest) => Promise<Response>;

export interface ServiceCaller {
  readonly sendRequest: RequestSender;
  /** Returns what the answer has: JSON, or bytes. */
  readonly callService: <Result>(method: string, path: string, request?: ServiceRequest) => Promise<Result>;
}

interface Catalog {
  readonly linkset: readonly { readonly anchor: string }[];
}

/** Finds authorization server and API from the site's address alone. */
export async function discoverService(site: string): Promise<DiscoveredService> {
  const resource = new URL(site);
  const metadata = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, options),
  );
  const issuer = new URL(metadata.authorization_servers?.[0] ?? site);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
  );
  const { register_uri: registerUri } = server['agent_auth'] as unknown as { register_uri: string };
  const { linkset } = await fetchJson<Catalog>(new URL('/.well-known/api-catalog', site));
  const [entry] = linkset;
  if (!entry) throw new AgentFailure('The catalog of the site is empty.');
  return { server, registerUri, api: entry.anchor };
}

/** A page of the longest messages, or a list of everything in a case. */
const MAX_JSON_BYTES = 32 * 1024 * 1024;
/** The longest file of a finding, with padding. */
const MAX_FILE_BYTES = 128 * 1024 * 1024;

/** What is longer than any honest answer fails while it is read, before it fills the memory. */
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

const options = {
  [oauth.customFetch]: (url: string, init: object) => fetchBounded(url, init),
};

/** Fetches public data without a token, because a token would need the operation's scope. */
export async function fetchJson<Result>(url: URL): Promise<Result> {
  const response = await fetchBounded(url);
  if (!response.ok) throw new AgentFailure(`${url}: ${response.status}`);
  return (await response.json()) as Result;
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
      { DPoP, ...options },
    );
    const issued = await oauth.processClientCredentialsResponse(server, client, response);
    const usableSeconds = (issued.expires_in ?? RENEWAL_SECONDS) - RENEWAL_SECONDS;
    token = { value: issued.access_token, until: Date.now() + usableSeconds * 1_000 };
    return token.value;
  };
  const sendRequest: RequestSender = async (method, path, request = {}) => {
    const { headers, content } = encodeRequest(request);
    const address = new URL(api + path);
    const fresh = await getFreshToken();
    const response = await oauth.protectedResourceRequest(fresh, method, address, headers, content, {
      DPoP,
      ...options,
    });
    if (!response.ok && response.status !== request.alsoAnswers)
      throw new AgentFailure(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  return {
    sendRequest,
    callService: async <Result>(method: string, path: string, request?: ServiceRequest) =>
      await readAnswer<Result>(await sendRequest(method, path, request)),
  };
}

async function readAnswer<Result>(response: Response): Promise<Result> {
  if (response.status === 204) return undefined as Result;
  const isJson = response.headers.get('content-type')?.includes('json');
  return (isJson ? await response.json() : new Uint8Array(await response.arrayBuffer())) as Result;
}

function encodeRequest({ body, idempotencyKey }: ServiceRequest) {
  const headers = new Headers(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey });
  if (body === undefined) return { headers, content: null };
  const isBytes = body instanceof Uint8Array;
  headers.set('content-type', isBytes ? 'application/octet-stream' : 'application/json');
  return { headers, content: isBytes ? Uint8Array.from(body) : JSON.stringify(body) };
}
