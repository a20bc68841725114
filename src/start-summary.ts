/** The summary that the operator sees once the service runs: addresses, files and what is left to do. */
import { join } from 'node:path';
import type { SealingKeys } from '#cases/sealing/sealing-keys.ts';
import type { RunningPaymentSandbox } from '#payments/provider/start-provider.ts';
import { CACHE_FOLDER } from '#platform/cache-folder.ts';
import type { Config } from '#platform/config/config.ts';
import {
  listMissingPaymentVariables,
  PAYMENT_PROVIDER,
  readKeyMode,
} from '#platform/config/payment-settings.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { VERSION } from '#platform/config/version.ts';
import type { Certificate } from '#platform/http/certificate.ts';
import { type ClockAlarm, formatClockAlarm } from '#store/clock-guard.ts';
import { toMasterKeyPath } from '#store/keys/keyring.ts';
import type { Store } from '#store/store.ts';
import type { Observation } from '#watch/surroundings.ts';

/** Counting stops here, so that many cases do not slow down the start. */
export const MAX_COUNTED_CASES = 1_000;

type SummaryLine = readonly [label: string, text: string];

interface StartedParts {
  readonly certificate: Certificate | null;
  readonly store: Store;
  readonly sandbox: RunningPaymentSandbox | null;
  readonly sealingKeys: SealingKeys;
  /** Why no e-mail can be sent; null if it can. */
  readonly mailFault: string | null;
  /** Cases that are not known to be sealed to the current keys, counted up to the maximum. */
  readonly casesToReseal: number;
  readonly clockAlarm: ClockAlarm | null;
  readonly isCacheKept: boolean;
  /** Also reported by `doctor`. */
  readonly observations: readonly Observation[];
}

export function buildStartSummary(config: Config, parts: StartedParts): SummaryLine[] {
  const { site, dataDir, mail, payments, store: own } = config;
  const { httpPort, metricsPort } = config.listen;
  const { certificate, store, sandbox, sealingKeys, mailFault, clockAlarm, casesToReseal } = parts;
  const lines: (SummaryLine | false)[] = [
    ['Version', VERSION],
    ['Site', site.url],
    ['API', site.url + site.apiPath],
    [
      'TLS',
      certificate
        ? `${certificate.file}, valid until ${certificate.validTo.slice(0, 10)}`
        : 'handled by the reverse proxy',
    ],
    ['HTTP', httpPort === null ? 'off' : `port ${httpPort}, redirects pages to HTTPS`],
    metricsPort !== null && ['Metrics', `http://127.0.0.1:${metricsPort}/metrics`],
    ['Payments', formatPaymentsLine(payments, sandbox)],
    ['Database', `${store.engine.name}, ${store.engine.location}`],
    [
      'Mail',
      mailFault === null ? formatMailLine(mail, dataDir) : `NOT WORKING. ${mailFault} E-mails are waiting.`,
    ],
    ['Data', dataDir],
    ['Desk', formatDeskLine(config, sealingKeys)],
    !parts.isCacheKept && [
      'Cache',
      `${CACHE_FOLDER} cannot be written: each start rebuilds code and scripts`,
    ],
    clockAlarm !== null && [
      'Clock',
      `skew: ${formatClockAlarm(clockAlarm)}. Nothing is purged until you run ${PROGRAM_NAME} clock accept`,
    ],
    casesToReseal > 0 && [
      'Sealing',
      `${formatCaseCount(casesToReseal)} not known to be sealed to the current keys: run bin/office keys reseal --key FILE`,
    ],
    ...parts.observations.map(({ level, text }) => [level === 'act' ? 'Error' : 'Warning', text] as const),
    ...sealingKeys.privateKeyFiles.map(
      (file) => ['Private key', `${file} opens every case: move it off this machine`] as const,
    ),
    // Unlike the private keys, it is needed on this machine, but it should not be kept with the records.
    own.masterKey === null && [
      'Master key',
      `${toMasterKeyPath(dataDir)} reveals which orders and cases belong to whom: move it out of ${dataDir} (MASTER_KEY_FILE) and away from copies of the records`,
    ],
    certificate !== null && ['Try', `curl -k ${site.url}${site.apiPath}/health`],
  ];
  return lines.filter((line) => line !== false);
}

/** Prints it on standard error. `failed` names the readiness checks that failed. */
export function reportStart(
  siteName: string,
  lines: readonly SummaryLine[],
  failed: readonly string[],
): void {
  const width = Math.max(...lines.map(([label]) => label.length));
  const table = lines.map(([label, text]) => `  ${label.padEnd(width)}  ${text}\n`).join('');
  const state =
    failed.length === 0
      ? 'is ready'
      : `has started, but is not ready: ${failed.join(', ').replaceAll('_', ' ')}`;
  process.stderr.write(`\n${siteName} ${state}.\n\n${table}\nStop it with Ctrl+C or SIGTERM.\n\n`);
}

/** Without an argument, the desk uses the private key that a first start made on this machine. */
function formatDeskLine(
  { site, deskNetworks }: Config,
  { privateKeyFiles }: Pick<SealingKeys, 'privateKeyFiles'>,
): string {
  if (deskNetworks.length === 0) return 'off (DESK_NETWORKS)';
  if (privateKeyFiles.length > 0) return 'npm run desk';
  return `npm run desk -- ${site.url} --key FILE, from ${deskNetworks.join(', ')}`;
}

function formatCaseCount(count: number): string {
  if (count === 1) return '1 case is';
  return count < MAX_COUNTED_CASES ? `${count} cases are` : `${count} cases or more are`;
}

function formatMailLine({ smtpUrl }: Config['mail'], dataDir: string): string {
  return smtpUrl ? `sent through ${new URL(smtpUrl).host}` : `saved as files in ${join(dataDir, 'mail')}`;
}

function formatPaymentsLine(
  { key, webhookSecrets, apiUrl }: Config['payments'],
  sandbox: RunningPaymentSandbox | null,
): string {
  if (sandbox) return `sandbox, no real money: ${sandbox.provider.apiUrl}`;
  const missing = listMissingPaymentVariables({ key, webhookSecrets });
  if (missing.length > 0) return `not configured: ${missing.join(' and ')} not set`;
  return apiUrl
    ? `${PAYMENT_PROVIDER}-compatible server at ${apiUrl}`
    : `${PAYMENT_PROVIDER}, with a ${readKeyMode(key)} key`;
}
