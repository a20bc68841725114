/** Clients that did not register: their id is the https address of a metadata document at a host in the allow-list. */
import { type Static, Type } from 'typebox';
import { SECOND_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { type GrantType, PUBLIC_CLIENT_METHOD } from '#platform/grant-types.ts';
import { getPinned } from '#platform/net/pinned-request.ts';
import { resolveWebhookTarget, TargetFault, type WebhookNetwork } from '#platform/net/webhook-target.ts';
import { SCOPES } from '#platform/scopes.ts';
import { cutToDay } from '#platform/text/day.ts';
import type { Services } from '#services.ts';
import { upsertClient } from '#store/clients/clients.ts';
import { matchesSchema } from '#wire/checked-value.ts';
import { generateSecretToken, isClientName, type NewClient, toClientRow } from './clients.ts';
import { findRedirectUriFault } from './redirect-uris.ts';

const MAX_DOCUMENT_KIB = 5;
/** The address is stored with everything that the client is given. */
const MAX_ADDRESS_LENGTH = 1_000;
const KIB = 1024;
/** Excludes DNS. Short, because a person waits for the answer. */
const ANSWER_SECONDS = 3;
/** With these statuses, a host reports that the document does not exist, rather than that it is unavailable now. */
const GONE_STATUSES: readonly number[] = [404, 410];
const DOCUMENT_GRANTS = ['authorization_code', 'refresh_token'] as const satisfies readonly GrantType[];

/**
 * The fields that are read; the many others are ignored. The format is that of
 * draft-ietf-oauth-client-id-metadata-document.
 */
const ClientDocument = Type.Object({
  client_id: Type.String(),
  client_name: Type.Optional(Type.String()),
  redirect_uris: Type.Array(Type.String()),
  grant_types: Type.Optional(Type.Array(Type.String())),
  token_endpoint_auth_method: Type.Optional(Type.String()),
  token_endpoint_auth_methods_supported: Type.Optional(Type.Array(Type.String())),
  dpop_bound_access_tokens: Type.Optional(Type.Boolean()),
});
type ClientDocument = Static<typeof ClientDocument>;

/** Its message is a sentence for the author of the client. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
  /** The document could not be read, so another attempt may succeed. */
  readonly isTemporary: boolean;

  constructor(sentence: string, isTemporary = false) {
    super(sentence);
    this.isTemporary = isTemporary;
  }
}

/** The ids that we issue never look like this. The engine ignores the case of the scheme, so this does, too. */
export function isDocumentClient(clientId: string): boolean {
  return /^https:/i.test(clientId);
}

/** The host of the document, with its port if it has one: all that is known for sure about the client. */
export function getDocumentHost(clientId: string): string {
  return URL.parse(clientId)?.host ?? '';
}

/** Always true for a registered client. */
export function isClientHostAllowed(
  { clientDocumentHosts }: Pick<Services, 'clientDocumentHosts'>,
  clientId: string,
): boolean {
  return !isDocumentClient(clientId) || isDocumentAllowed(clientDocumentHosts, clientId);
}

/** Also refuses anything that is not such an address, because the engine recognizes more addresses than this file. */
export function isDocumentAllowed(hosts: readonly string[], clientId: string): boolean {
  return (
    clientId.startsWith('https://') &&
    clientId.length <= MAX_ADDRESS_LENGTH &&
    hosts.includes(getDocumentHost(clientId))
  );
}

export interface FetchedClient {
  readonly client: NewClient;
  /** HTTP headers that say how long the document may be cached. */
  readonly cacheHeaders: Readonly<Record<string, string>>;
}

/** The same checks as for a webhook: public addresses only, no redirect, and a connection to the checked address. */
export async function fetchDocumentClient(network: WebhookNetwork, clientId: string): Promise<FetchedClient> {
  const { status, headers, body } = await requestDocument(network, clientId);
  if (status !== 200)
    throw createReadFault(clientId, `it is answered with ${status}`, !GONE_STATUSES.includes(status));
  if (body === null)
    throw new DocumentFault(`the document of the client is longer than ${MAX_DOCUMENT_KIB} KiB`);
  const { 'cache-control': cacheControl, expires } = headers;
  return {
    client: toNewClient(parseDocument(clientId, body.toString())),
    cacheHeaders: {
      ...(cacheControl !== undefined && { 'cache-control': cacheControl }),
      ...(expires !== undefined && { expires }),
    },
  };
}

async function requestDocument(network: WebhookNetwork, clientId: string) {
  try {
    return await getPinned(await resolveWebhookTarget(network, clientId), {
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      timeoutMs: ANSWER_SECONDS * SECOND_MS,
      maxBytes: MAX_DOCUMENT_KIB * KIB,
    });
  } catch (error) {
    throw createReadFault(clientId, describeFault(error));
  }
}

function createReadFault(clientId: string, reason: string, isTemporary = true): DocumentFault {
  const host = getDocumentHost(clientId);
  return new DocumentFault(`the document of the client could not be read at ${host}: ${reason}`, isTemporary);
}

function describeFault(error: unknown): string {
  if (error instanceof TargetFault) return error.message.replace(/\.$/, '');
  return readErrorCode(error) === 'ABORT_ERR'
    ? `no answer within ${ANSWER_SECONDS} seconds`
    : 'the connection failed';
}

function parseDocument(clientId: string, text: string): ClientDocument {
  const document = parseJson(text);
  if (!matchesSchema(ClientDocument, document))
    throw new DocumentFault('the document of the client is no JSON object with client_id and redirect_uris');
  if (document.client_id !== clientId)
    throw new DocumentFault('client_id in the document of the client is not the address of the document');
  return document;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Leaves out what we do not support, because these documents are written for many services. */
function toNewClient(document: ClientDocument): NewClient {
  const { client_id: id, client_name: name = '', grant_types: named = DOCUMENT_GRANTS } = document;
  const redirectUris = document.redirect_uris.filter((uri) => findRedirectUriFault(uri) === null);
  const methods = [
    document.token_endpoint_auth_method ?? PUBLIC_CLIENT_METHOD,
    ...(document.token_endpoint_auth_methods_supported ?? []),
  ];
  if (!methods.includes(PUBLIC_CLIENT_METHOD))
    throw new DocumentFault(
      `the document of the client does not have ${PUBLIC_CLIENT_METHOD} as its token_endpoint_auth_method`,
    );
  if (!named.includes('authorization_code'))
    throw new DocumentFault('the document of the client does not have authorization_code in grant_types');
  if (redirectUris.length === 0)
    throw new DocumentFault(
      'the document of the client has no redirect address that is https, http with a loopback address, or a scheme that is a reversed domain name',
    );
  return {
    name: isClientName(name) ? name : getDocumentHost(id),
    scopes: SCOPES,
    grants: DOCUMENT_GRANTS.filter((grant) => named.includes(grant)),
    redirectUris,
    credentials: document.dpop_bound_access_tokens === true ? 'dpop' : 'bearer dpop',
  };
}

/** Called once a person has allowed the client: only recorded clients can use tokens. Its host becomes its name. */
export async function recordDocumentClient(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  clientId: string,
): Promise<void> {
  const client: NewClient = {
    name: getDocumentHost(clientId),
    scopes: SCOPES,
    grants: DOCUMENT_GRANTS,
    // The redirect URIs in its document apply.
    redirectUris: [],
    credentials: 'bearer dpop',
  };
  // This secret is never handed out.
  const row = toClientRow(client, { clientId, clientSecret: generateSecretToken() }, cutToDay(clock.now()));
  await store.transaction((records) => upsertClient(records, row));
}
