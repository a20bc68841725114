/** A certificate for a bare server. */
import { generate } from 'selfsigned';

export async function generateBareCertificate(): Promise<{ key: string; cert: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
  });
  return { key, cert };
}
