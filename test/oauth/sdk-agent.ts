/** Stores in memory what the MCP SDK requires a client to store. */
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { CALLBACK_URL } from './oauth-test-app.ts';

export class SdkAgent implements OAuthClientProvider {
  kept: OAuthTokens | undefined;
  sentTo = '';
  #verifier = '';
  readonly redirectUrl = CALLBACK_URL;
  readonly clientMetadata;
  readonly #credentials;

  constructor({ clientId, clientSecret }: { clientId: string; clientSecret: string }, scope?: string) {
    this.#credentials = { client_id: clientId, client_secret: clientSecret };
    this.clientMetadata = { redirect_uris: [CALLBACK_URL], ...(scope && { scope }) };
  }

  clientInformation() {
    return this.#credentials;
  }

  tokens() {
    return this.kept;
  }

  saveTokens(tokens: OAuthTokens) {
    this.kept = tokens;
  }

  redirectToAuthorization(url: URL) {
    this.sentTo = url.href;
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }

  codeVerifier() {
    return this.#verifier;
  }
}
