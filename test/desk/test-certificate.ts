/** A self-signed certificate, as the service creates one, with its SPKI pin. */
import { hash, X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';

export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
  readonly spkiPin: string;
}

const DAY_MS = 86_400_000;

export async function generateTestCertificate(
  name = 'localhost',
  validUntil = Date.now() + DAY_MS,
  days = 2,
): Promise<TestCertificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(validUntil - days * DAY_MS),
    notAfterDate: new Date(validUntil),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  });
  const spki = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return { key, cert, spkiPin: `sha256/${hash('sha256', spki, 'base64')}` };
}
