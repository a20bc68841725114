/** Documents as well-known assistants publish them about themselves, served by a host of the test. */
import type { CleanupScope } from '#test/cleanup.ts';
import { type EventReceiver, startEventReceiver } from '#test/webhooks/receiver.ts';

type Fields = Readonly<Record<string, unknown>>;

interface DocumentHost extends EventReceiver {
  /** The host, as in a client's id. */
  readonly host: string;
  /** Publishes a document with this content; returns its address, the id of the client. */
  readonly publish: (name: string, document: Fields) => string;
  /** Answers with the published documents again. */
  readonly answerAsPublished: () => void;
}

/** The fields that all of them share; the address of the document itself is added. */
const publicClient = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
} as const;

export const LOOPBACK_REDIRECT = 'http://127.0.0.1:49152/callback';

/** By client name: the client metadata document that each publishes, and the redirect URI that it uses. */
export const assistants = {
  'Claude Code': {
    document: {
      ...publicClient,
      client_uri: 'https://claude.ai',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
    },
    redirectUri: LOOPBACK_REDIRECT,
  },
  Claude: {
    document: {
      ...publicClient,
      client_uri: 'https://claude.ai',
      grant_types: [...publicClient.grant_types, 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    },
    redirectUri: 'https://claude.ai/api/mcp/auth_callback',
  },
  'Visual Studio Code': {
    document: {
      ...publicClient,
      application_type: 'native',
      client_uri: 'https://vscode.dev/product',
      grant_types: [...publicClient.grant_types, 'urn:ietf:params:oauth:grant-type:device_code'],
      logo_uri: 'https://vscode.dev/code-stable.png',
      redirect_uris: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
    },
    redirectUri: 'http://127.0.0.1:33418/',
  },
  ChatGPT: {
    document: {
      ...publicClient,
      jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'],
    },
    redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
  },
  opencode: {
    document: {
      ...publicClient,
      application_type: 'native',
      client_uri: 'https://opencode.ai',
      logo_uri: 'https://opencode.ai/web-app-manifest-512x512.png',
      redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
      token_endpoint_auth_methods_supported: ['none'],
    },
    redirectUri: LOOPBACK_REDIRECT,
  },
} as const;

export async function startDocumentHost(t: CleanupScope, name = 'localhost'): Promise<DocumentHost> {
  const server = await startEventReceiver(t, { host: name });
  const documents = new Map<string, string>();
  const host = `${name}:${server.port}`;
  const answerAsPublished = () =>
    server.answerWith((response) => {
      const text = documents.get(server.received.at(-1)?.path ?? '');
      response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text);
    });
  answerAsPublished();
  return {
    ...server,
    host,
    publish: (ownName, document) => {
      const path = `/oauth/${encodeURIComponent(ownName)}/client.json`;
      const clientId = `https://${host}${path}`;
      documents.set(path, JSON.stringify({ client_id: clientId, client_name: ownName, ...document }));
      return clientId;
    },
    answerAsPublished,
  };
}
