/** Inspects the configuration: files that others may read, texts, payments, and the site as visitors reach it. */
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { loadSiteContent } from '#content/site-content.ts';
import type { Config } from '#platform/config/config.ts';
import {
  listMissingPaymentVariables,
  PAYMENT_OPTION,
  PAYMENT_VARIABLES,
} from '#platform/config/payment-settings.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { SECOND_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { ProgramError } from '#platform/exit-codes.ts';
import { inspectCertificateEnd, type Observation, observe } from '#watch/surroundings.ts';
import { explainAccess } from '../terminal/file-access.ts';

/** Without the group: one such as Debian's ssl-cert may be allowed to read a certificate's key. */
const OTHERS_MODE = 0o007;
const SITE_MS = 5 * SECOND_MS;
/** statfs(2): TMPFS_MAGIC. */
const MEMORY_FILE_SYSTEM = 0x01021994;

export async function inspectConfiguration(config: Config, now: number): Promise<Observation[]> {
  const { production, secretFiles, tls } = config;
  return [
    ...[...secretFiles, ...(tls.files ? [tls.files.key] : [])].flatMap(inspectSecretFile),
    ...(await inspectContent(config)),
    ...(production ? [...inspectPayments(config), ...inspectPrivateKeys(config.dataDir)] : []),
    ...(production ? await inspectFileSystem(config.dataDir) : []),
    ...(production || tls.mode === 'proxy' ? await inspectSite(config, now) : []),
  ];
}

/** A container has no other users, so its secrets may be readable by all. */
function inspectSecretFile(path: string): Observation[] {
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((mode & OTHERS_MODE) === 0 || process.platform === 'win32') return [];
  return observe(
    'look',
    `Every user of this machine can use the secret in ${path} (${mode.toString(8)}); protect it with chmod o=.`,
  );
}

async function inspectContent(config: Config): Promise<Observation[]> {
  try {
    await loadSiteContent(config);
    return [];
  } catch (error) {
    if (error instanceof ProgramError) return observe('act', `The service does not start: ${error.message}`);
    throw error;
  }
}

function inspectPayments({ payments }: Config): Observation[] {
  const missing = listMissingPaymentVariables(payments);
  if (missing.length === 0) return [];
  // If all are missing, the operator has postponed payments.
  const isLater = missing.length === Object.keys(PAYMENT_VARIABLES).length;
  const [level, when] = isLater ? (['look', ' yet'] as const) : (['act', ''] as const);
  return observe(
    level,
    `Nothing can be bought${when}: run ${PROGRAM_NAME} setup --${PAYMENT_OPTION} FILE (or set ${missing.join(' and ')}), then restart.`,
  );
}

/** Reports keys left by a start before production: buyers' cases must be sealed to other keys. */
function inspectPrivateKeys(dataDir: string): Observation[] {
  return ['desk.key', 'recovery.key']
    .map((name) => join(dataDir, 'keys', name))
    .filter((path) => existsSync(path))
    .flatMap((path) => observe('look', `${path} is a private key: move it off this machine.`));
}

async function inspectFileSystem(dataDir: string): Promise<Observation[]> {
  if (explainAccess(dataDir, 0) || (await statfs(dataDir)).type !== MEMORY_FILE_SYSTEM) return [];
  return observe('act', `${dataDir} is in memory, and will be lost at the next boot: use a disk.`);
}

/** Requests the site as a visitor would: through the proxy, with its certificate. */
async function inspectSite({ site, tls }: Config, now: number): Promise<Observation[]> {
  const url = `${site.url}${site.apiPath}/health`;
  try {
    const { status, body, certificateEnd } = await ask(url);
    // The service's own certificate is inspected as a file.
    const seen = tls.mode === 'proxy' ? inspectCertificateEnd(`of ${site.url}`, certificateEnd, now) : [];
    if (status === 200 && body.includes('"status":"ok"')) return seen;
    const otherwise =
      status === 200
        ? 'not by the service; check where this name and the proxy point'
        : 'check the logs of the proxy and of the service';
    const reason = body.includes('"https_required"')
      ? 'the proxy is not in TRUSTED_PROXIES, or does not send X-Forwarded-Proto: https (deploy/ has examples)'
      : otherwise;
    return [...seen, ...observe('act', `${url} was answered with ${status}: ${reason}.`)];
  } catch (error) {
    const code = readErrorCode(error) || 'no answer';
    const reason = /CERT|SIGNED|SIGNATURE|ISSUER|CHAIN|TLS/.test(code)
      ? `renew the certificate or, if it is the right one, pass its authorities to this command: NODE_EXTRA_CA_CERTS=FILE ${PROGRAM_NAME} doctor`
      : 'start the service, and check that this name points to it';
    return observe('act', `${url} cannot be reached (${code}): ${reason}.`);
  }
}

async function ask(url: string) {
  type Answer = { status: number; body: string; certificateEnd: number };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = get(url, { signal: AbortSignal.timeout(SITE_MS), agent: false }, (response) => {
    const certificateEnd = Date.parse((response.socket as TLSSocket).getPeerCertificate().valid_to);
    text(response).then(
      (body) => resolve({ status: response.statusCode ?? 0, body, certificateEnd }),
      reject,
    );
  });
  request.once('error', reject);
  return await promise;
}
