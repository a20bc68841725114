/** Lets the engine accept clients by their metadata document: which it may fetch, how, and what it sees of them. */
import { type Configuration, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { type NewClient, toClientMetadata, toClientRow } from '#clients/clients.ts';
import {
  DocumentFault,
  type FetchedClient,
  fetchDocumentClient,
  getDocumentHost,
  isDocumentAllowed,
} from '#clients/document-clients.ts';
import type { Clock } from '#platform/clock.ts';
import { DAY_MS, HOUR_SECONDS, MINUTE_SECONDS } from '#platform/durations.ts';
import { PUBLIC_CLIENT_METHOD } from '#platform/grant-types.ts';
import type { WebhookNetwork } from '#platform/net/webhook-target.ts';
import type { Services } from '#services.ts';
import { findClient } from '#store/clients/clients.ts';

type DocumentServices = Pick<
  Services,
  'addresses' | 'clientDocumentHosts' | 'clock' | 'store' | 'webhookNetwork'
>;

/** The routes of a sign-in. On any other route, only a client that a person has already allowed is looked up. */
const SIGN_IN_ROUTES = ['authorization', 'resume'];

/** Limited, because anyone can start an authorization that needs a fetch. */
const MAX_FETCHES = 8;
const RETRY_SECONDS = 5;
const KEPT_MS = DAY_MS;
/** As many as the engine caches. */
const MAX_KEPT = 100;

/** Enabled even if no host is allowed, so that a program that tries it learns why it is refused. */
export function buildClientDocumentFeature({ addresses, clientDocumentHosts, store }: DocumentServices) {
  return {
    enabled: true,
    ack: 'draft-02',
    // There is no context when one of our own pages looks up the client.
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
    // Called each time the fetched client is used.
    allowClient: (_ctx: KoaContextWithOIDC, { clientId }: { clientId: string }) =>
      isDocumentAllowed(clientDocumentHosts, clientId),
    cacheDuration: { min: 5 * MINUTE_SECONDS, max: HOUR_SECONDS },
  } as const;
}

/** The engine never gets the document itself, only the metadata of a public client that is made from it. */
export function createDocumentFetch(services: DocumentServices): NonNullable<Configuration['fetch']> {
  const readClient = createKeptRead(services.clock, createLimitedFetch(services.webhookNetwork));
  return async (address) => {
    // The engine fetches only client ids.
    const clientId = address as string;
    const { client, cacheHeaders } = await readClient(clientId);
    const row = toClientRow(client, { clientId, clientSecret: '' }, 0);
    const { client_secret: _none, ...metadata } = toClientMetadata(row);
    return Response.json(
      { ...metadata, token_endpoint_auth_method: PUBLIC_CLIENT_METHOD },
      { headers: cacheHeaders },
    );
  };
}

type ClientRead = (clientId: string) => Promise<FetchedClient>;

function createLimitedFetch(network: WebhookNetwork): ClientRead {
  let fetches = 0;
  return async (clientId) => {
    if (fetches >= MAX_FETCHES)
      throw new DocumentFault('too many documents are being read at the moment', true);
    fetches += 1;
    try {
      return await fetchDocumentClient(network, clientId);
    } finally {
      fetches -= 1;
    }
  };
}

/** While a document cannot be read, its last copy is used: the host may be down longer than an access token lasts. */
function createKeptRead(clock: Clock, read: ClientRead): ClientRead {
  const kept = new Map<string, { readonly client: NewClient; readonly readAt: number }>();
  return async (clientId) => {
    const last = kept.get(clientId);
    try {
      const fetched = await read(clientId);
      kept.delete(clientId);
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '');
      kept.set(clientId, { client: fetched.client, readAt: clock.now() });
      return fetched;
    } catch (error) {
      const isAway = error instanceof DocumentFault && error.isTemporary;
      // Without headers, so that the engine tries again soon.
      if (last && isAway && clock.now() - last.readAt <= KEPT_MS)
        return { client: last.client, cacheHeaders: {} };
      kept.delete(clientId);
      throw error;
    }
  };
}

/** Whatever the fault, the engine would only report that the fetch failed. */
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
  // After a 400, a client that refreshes would assume that its tokens have ended.
  return Object.assign(error, { status: 503, statusCode: 503 });
}
