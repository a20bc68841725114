/** Stores in memory what the MCP SDK requires a client to store. */
import { CALLBACK_URL } from './oauth-test-app.ts';

interface Credentials {
  readonly client_id: string;
  readonly client_secret?: string;
}

interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string;
}

export class SdkAgent {
  client: Credentials | undefined;
  kept: Tokens | undefined;
  sentTo = '';
  #verifier = '';
  readonly redirectUrl: string;
  readonly clientMetadata;

  constructor(
    client: { clientId: string; clientSecret: string } | null,
    scope?: string,
    redirectUrl = CALLBACK_URL,
  ) {
    if (client) this.client = { client_id: client.clientId, client_secret: client.clientSecret };
    this.redirectUrl = redirectUrl;
    this.clientMetadata = { redirect_uris: [redirectUrl], ...(scope && { scope }) };
  }

  clientInformation() {
    return this.client;
  }

  saveClientInformation(client: Credentials) {
    this.client = client;
  }

  tokens() {
    return this.kept;
  }

  saveTokens(tokens: Tokens) {
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
