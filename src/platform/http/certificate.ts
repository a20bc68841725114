/** Loads the TLS certificate: the operator's files, or a self-signed one that is generated once and stored. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { readOrCreateFile, replaceFile } from '#platform/atomic-file.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config/config.ts';
import { DAY_MS } from '#platform/durations.ts';
import { formatFileFault } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

const LIFETIME_DAYS = 365;
const RENEW_DAYS = 30;

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** ISO 8601. */
  readonly validTo: string;
  /** The path of the public certificate, for operators who want to trust it. */
  readonly file: string;
}

export async function loadCertificate(config: Config, clock: Clock): Promise<Certificate | null> {
  if (config.tls.mode === 'proxy') return null;
  return config.tls.files
    ? await readCertificate(config.tls.files)
    : await loadSelfSignedCertificate(join(config.dataDir, 'tls'), clock);
}

async function readCertificate(files: { cert: string; key: string }): Promise<Certificate> {
  const [cert, key] = await Promise.all([
    readPem('TLS_CERT_FILE', files.cert),
    readPem('TLS_KEY_FILE', files.key),
  ]);
  return requireUsableCertificate({ cert, key, file: files.cert }, `${files.cert} with ${files.key}`);
}

async function readPem(variable: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ProgramError(
      `${variable}: cannot read ${path} (${formatFileFault(error)})`,
      EXIT_CODES.config,
      error,
    );
  }
}

function requireUsableCertificate(pair: Omit<Certificate, 'validTo'>, source: string): Certificate {
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(pair.key))
    throw new ProgramError(`${source}: the key is encrypted; remove its passphrase`, EXIT_CODES.config);
  let certificate: X509Certificate;
  let matches: boolean;
  try {
    certificate = new X509Certificate(pair.cert);
    matches = certificate.checkPrivateKey(createPrivateKey(pair.key));
    // Checks the whole chain, as a listener would.
    if (matches) createSecureContext(pair);
  } catch (error) {
    throw new ProgramError(
      `${source}: not a usable pair of PEM certificate and key`,
      EXIT_CODES.config,
      error,
    );
  }
  if (!matches)
    throw new ProgramError(`${source}: the key does not belong to the certificate`, EXIT_CODES.config);
  return { ...pair, validTo: certificate.validToDate.toISOString() };
}

/** Key and certificate share one file, so that processes that start at once cannot mix two pairs. */
async function loadSelfSignedCertificate(folder: string, clock: Clock): Promise<Certificate> {
  const path = join(folder, 'localhost.pem');
  const file = join(folder, 'localhost.crt');
  let certificate = parseCertificatePair(
    await readOrCreateFile(path, () => generateSelfSignedPem(clock)),
    path,
    file,
  );
  if (Date.parse(certificate.validTo) < clock.now() + RENEW_DAYS * DAY_MS) {
    const pem = await generateSelfSignedPem(clock);
    await replaceFile(path, pem);
    certificate = parseCertificatePair(pem, path, file);
  }
  await replaceFile(file, certificate.cert);
  return certificate;
}

function parseCertificatePair(pem: string, path: string, file: string): Certificate {
  return requireUsableCertificate(
    { cert: extractPemBlock(pem, 'CERTIFICATE'), key: extractPemBlock(pem, 'PRIVATE KEY'), file },
    path,
  );
}

function extractPemBlock(pem: string, kind: string): string {
  return pem.match(new RegExp(`-----BEGIN ${kind}-----[\\s\\S]+?-----END ${kind}-----\n?`))?.[0] ?? '';
}

async function generateSelfSignedPem(clock: Clock): Promise<string> {
  // Imported only when needed, since it is slow to load.
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
  return [key, cert].map((pem) => `${pem.trimEnd()}\n`).join('');
}
