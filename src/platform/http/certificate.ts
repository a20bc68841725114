/** The server's certificate: the operator's files, or a self-signed one that is made once and kept. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { EXIT, StartError } from '#platform/errors.ts';
import { keepFile, replaceFile } from '#platform/kept-file.ts';

const DAY_MS = 86_400_000;
const LIFETIME_DAYS = 365;
const RENEW_DAYS = 30;

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** ISO 8601. */
  readonly validTo: string;
  /** Where the public part lies, for whoever wants to trust it. */
  readonly file: string;
}

export async function loadCertificate(config: Config, clock: Clock): Promise<Certificate | null> {
  if (config.tls.mode === 'proxy') return null;
  return config.tls.files
    ? await readCertificate(config.tls.files)
    : await ownCertificate(join(config.dataDir, 'tls'), clock);
}

async function readCertificate(files: { cert: string; key: string }): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    readPem('TLS_CERT_FILE', files.cert),
    readPem('TLS_KEY_FILE', files.key),
  ]);
  return checked({ cert, key, file: files.cert });
}

async function readPem(variable: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`${variable}: cannot read ${path} (${code})`, EXIT.config, error);
  }
}

function checked(pair: Omit<Certificate, 'validTo'>): Certificate {
  let certificate: X509Certificate;
  let matches: boolean;
  try {
    certificate = new X509Certificate(pair.cert);
    matches = certificate.checkPrivateKey(createPrivateKey(pair.key));
  } catch (error) {
    throw new StartError(`${pair.file}: not a usable pair of PEM certificate and key`, EXIT.config, error);
  }
  if (!matches) throw new StartError(`${pair.file}: the key does not belong to the certificate`, EXIT.config);
  return { ...pair, validTo: certificate.validToDate.toISOString() };
}

/** Key and certificate share one file, so that processes that start together cannot mix two pairs. */
async function ownCertificate(folder: string, clock: Clock): Promise<Certificate> {
  const pair = join(folder, 'localhost.pem');
  const file = join(folder, 'localhost.crt');
  let pem = await keepFile(pair, () => selfSigned(clock));
  if (expiresSoon(pem, clock)) {
    pem = await selfSigned(clock);
    await replaceFile(pair, pem);
  }
  const certificate = checked({ cert: block(pem, 'CERTIFICATE'), key: block(pem, 'PRIVATE KEY'), file });
  await replaceFile(file, certificate.cert);
  return certificate;
}

function expiresSoon(pem: string, clock: Clock): boolean {
  const cert = block(pem, 'CERTIFICATE');
  return cert !== '' && new X509Certificate(cert).validToDate.getTime() < clock.now() + RENEW_DAYS * DAY_MS;
}

function block(pem: string, kind: string): string {
  return pem.match(new RegExp(`-----BEGIN ${kind}-----[\\s\\S]+?-----END ${kind}-----\n?`))?.[0] ?? '';
}

async function selfSigned(clock: Clock): Promise<string> {
  // Loaded only when needed: it takes longer to load than the rest of the start.
  const { generate } = await import('selfsigned');
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(clock.now()),
    notAfterDate: new Date(clock.now() + LIFETIME_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return [key, cert].map((part) => part.trimEnd() + '\n').join('');
}
