/** The server's ES256 key: made once, kept sealed in the record store, shared by all processes. */
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { newId } from '#platform/ids.ts';
import type { Services } from '#services.ts';
import { keepSecret } from '#store/stored-secrets.ts';

export const SIGNING_ALGORITHM = 'ES256';

export async function signingKey(services: Pick<Services, 'keyring' | 'store'>): Promise<JWK> {
  return JSON.parse(await keepSecret(services, 'signing key', makeKey)) as JWK;
}

async function makeKey(): Promise<string> {
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: newId(), alg: SIGNING_ALGORITHM, use: 'sig' };
  return JSON.stringify(key);
}
