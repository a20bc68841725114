/** The request of a token for a bench's client, and the token that it gives. */
import type { ClientCredentials } from '#clients/clients.ts';
import type { HttpsClient } from '#test/https-client.ts';

export function buildTokenRequest({ clientId, clientSecret }: ClientCredentials) {
  return {
    path: '/oauth2/token',
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
    },
    body: 'grant_type=client_credentials',
  } as const;
}

/** Returns the header that the client's requests need. */
export async function requestBearer(
  get: HttpsClient,
  client: ClientCredentials,
): Promise<{ authorization: string }> {
  const { path, ...request } = buildTokenRequest(client);
  const { json } = await get(path, request);
  return { authorization: `Bearer ${json['access_token']}` };
}
