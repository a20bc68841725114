/** The server's ES256 signing key: generated once, stored encrypted, shared by all processes. */
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import { loadOrCreateSecret } from '#store/keys/stored-secrets.ts';

export const SERVER_SIGNING_ALGORITHM = 'ES256';

export async function loadSigningKey(services: Pick<Services, 'keyring' | 'store'>): Promise<JWK> {
  return JSON.parse(await loadOrCreateSecret(services, 'signing key', generateSigningKey)) as JWK;
}

async function generateSigningKey(): Promise<string> {
  const { privateKey } = await generateKeyPair(SERVER_SIGNING_ALGORITHM, { extractable: true });
  const key = {
    ...(await exportJWK(privateKey)),
    kid: generateId(),
    alg: SERVER_SIGNING_ALGORITHM,
    use: 'sig',
  };
  return JSON.stringify(key);
}
