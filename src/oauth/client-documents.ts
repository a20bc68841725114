/** Lets the engine take clients by a document about them: what it may fetch, how, and what it gets to see of it. */
import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { toClientMetadata, toClientRow } from '#clients/clients.ts';
import {
  DocumentFault,
  fetchDocumentClient,
  getDocumentHost,
  isDocumentAllowed,
} from '#clients/document-clients.ts';
import { HOUR_SECONDS, MINUTE_SECONDS } from '#platform/durations.ts';
import { PUBLIC_CLIENT_METHOD } from '#platform/grant-types.ts';
import type { Services } from '#services.ts';
import { findClient } from '#store/clients/clients.ts';

type DocumentServices = Pick<Services, 'addresses' | 'clientDocumentHosts' | 'store' | 'webhookNetwork'>;

/** Where a person signs in; anywhere else only a client that a person has allowed has something to ask for. */
const SIGN_IN_ROUTES = ['authorization', 'resume'];

/** Every authorization may need one, of any client, from any address. */
const MAX_FETCHES = 8;
const RETRY_SECONDS = 5;

/** On even if no host is allowed: so a program that tries it is told why it is refused. */
export function buildClientDocumentFeature({ addresses, clientDocumentHosts, store }: DocumentServices) {
  return {
    enabled: true,
    ack: 'draft-02',
    // A page of ours that looks for the client has no context.
    allowFetch: async (ctx: KoaContextWithOIDC | undefined, clientId: string) => {
      // Otherwise the engine would look for the client again after each failure.
      if (ctx) Object.assign(ctx.oidc, { noclient: true });
      if (!isDocumentAllowed(clientDocumentHosts, clientId))
        throw new errors.InvalidClient(
          `this service takes no clients that ${getDocumentHost(clientId)} describes; register at ${addresses.registration}`,
        );
      if (!ctx || SIGN_IN_ROUTES.includes(ctx.oidc.route)) return true;
      if (await findClient(store.records, clientId)) return true;
      throw new errors.InvalidClient('no person has allowed this client yet');
    },
    // Asked for each use of what was fetched.
    allowClient: (_ctx: KoaContextWithOIDC, { clientId }: { clientId: string }) =>
      isDocumentAllowed(clientDocumentHosts, clientId),
    cacheDuration: { min: 5 * MINUTE_SECONDS, max: HOUR_SECONDS },
  } as const;
}

/** The engine gets the metadata of a public client that is made from the document, never the document itself. */
export function createDocumentFetch({
  webhookNetwork,
}: DocumentServices): NonNullable<Configuration['fetch']> {
  let fetches = 0;
  const fetchClient = async (clientId: string) => {
    if (fetches >= MAX_FETCHES)
      throw new DocumentFault('too many documents are being read at the moment', true);
    fetches += 1;
    try {
      return await fetchDocumentClient(webhookNetwork, clientId);
    } finally {
      fetches -= 1;
    }
  };
  return async (address) => {
    // The engine asks for nothing but the id of a client.
    const clientId = address as string;
    const { client, cacheHeaders } = await fetchClient(clientId);
    const row = toClientRow(client, { clientId, clientSecret: '' }, 0);
    const { client_secret: _none, ...metadata } = toClientMetadata(row);
    return Response.json(
      { ...metadata, token_endpoint_auth_method: PUBLIC_CLIENT_METHOD },
      { headers: cacheHeaders },
    );
  };
}

/** The engine would say of every fault only that the fetch failed. */
export function explainDocumentFaults(provider: Provider): void {
  const { Client } = provider;
  const find = Client.find.bind(Client);
  Client.find = async (id) => {
    try {
      return await find(id);
    } catch (error) {
      const fault = error instanceof Error ? error.cause : undefined;
      throw fault instanceof DocumentFault ? toProtocolError(fault) : error;
    }
  };
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    if (ctx.status === 503 && !ctx.response.get('retry-after')) ctx.set('retry-after', String(RETRY_SECONDS));
  });
}

function toProtocolError({ message, isTemporary }: DocumentFault): errors.OIDCProviderError {
  if (!isTemporary) return new errors.InvalidClient(message);
  const error = new errors.TemporarilyUnavailable(message);
  // A client that refreshes would take 400 for the end of its tokens.
  return Object.assign(error, { status: 503, statusCode: 503 });
}
