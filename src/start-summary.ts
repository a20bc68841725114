/** Builds the summary that the operator sees once the service runs: addresses, files and what is left to do. */
import { join } from 'node:path';
import type { SealingKeys } from '#cases/sealing/sealing-keys.ts';
import type { RunningPaymentSandbox } from '#payments/sandbox.ts';
import { CACHE_FOLDER } from '#platform/cache-folder.ts';
import type { Config } from '#platform/config/config.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { VERSION } from '#platform/config/version.ts';
import type { Certificate } from '#platform/http/certificate.ts';
import type { StartReportLine } from '#platform/start-report.ts';
import type { ClockAlarm } from '#store/clock-guard.ts';
import { formatClockAlarm } from '#store/clock-skew-text.ts';
import { toMasterKeyPath } from '#store/keys/keyring.ts';
import type { Store } from '#store/store.ts';

/** No start counts further, however many cases there are. */
export const MAX_COUNTED_CASES = 1_000;

interface StartedParts {
  readonly certificate: Certificate | null;
  readonly store: Store;
  readonly sandbox: RunningPaymentSandbox | null;
  readonly sealingKeys: SealingKeys;
  /** Why no e-mail can be sent; null if it can. */
  readonly mailFault: string | null;
  /** Cases that are not known to be sealed to today's keys; there may be more than the highest number. */
  readonly casesToReseal: number;
  readonly clockAlarm: ClockAlarm | null;
  readonly isCacheKept: boolean;
}

export function buildStartSummary(
  { site, listen: { httpPort, metricsPort }, dataDir, mail, payments, store: { masterKey } }: Config,
  {
    certificate,
    store,
    sandbox,
    sealingKeys,
    mailFault,
    clockAlarm,
    casesToReseal,
    isCacheKept,
  }: StartedParts,
): StartReportLine[] {
  return [
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
    ...(metricsPort === null
      ? []
      : [['Metrics', `http://127.0.0.1:${metricsPort}/metrics`] satisfies StartReportLine]),
    ['Payments', formatPaymentsLine(payments, sandbox)],
    ['Database', `${store.engine.name}, ${store.engine.location}`],
    ['Mail', mailFault === null ? formatMailLine(mail, dataDir) : `NOT WORKING. ${mailFault} E-mails wait.`],
    ['Data', dataDir],
    ...(isCacheKept
      ? []
      : [
          [
            'Cache',
            `${CACHE_FOLDER} cannot be written: each start makes code and scripts anew`,
          ] satisfies StartReportLine,
        ]),
    ...(clockAlarm
      ? [
          [
            'Clock',
            `skew: ${formatClockAlarm(clockAlarm)}. Nothing is purged until ${PROGRAM_NAME} clock accept`,
          ] satisfies StartReportLine,
        ]
      : []),
    ...(casesToReseal > 0 ? [formatResealLine(casesToReseal)] : []),
    ...sealingKeys.privateKeyFiles.map(
      (file): StartReportLine => ['Private key', `${file} opens every case: move it off this machine`],
    ),
    ...(masterKey === null ? [formatMasterKeyLine(dataDir)] : []),
    ...(certificate ? [['Try', `curl -k ${site.url}${site.apiPath}/health`] satisfies StartReportLine] : []),
  ];
}

function formatResealLine(count: number): StartReportLine {
  return [
    'Sealing',
    `${formatCaseCount(count)} not known to be sealed to today's keys: bin/office keys reseal --key FILE`,
  ];
}

function formatCaseCount(count: number): string {
  if (count === 1) return '1 case is';
  return count < MAX_COUNTED_CASES ? `${count} cases are` : `${count} cases or more are`;
}

function formatMailLine({ smtpUrl }: Config['mail'], dataDir: string): string {
  return smtpUrl ? `sent through ${new URL(smtpUrl).host}` : `saved as files in ${join(dataDir, 'mail')}`;
}

/** Unlike the private keys it is needed here, but not in one place with the records. */
function formatMasterKeyLine(dataDir: string): StartReportLine {
  return [
    'Master key',
    `${toMasterKeyPath(dataDir)} tells whose orders and cases are whose: move it out of ${dataDir} (MASTER_KEY_FILE) and away from copies of the records`,
  ];
}

function formatPaymentsLine(
  { key, webhookSecrets, apiUrl }: Config['payments'],
  sandbox: RunningPaymentSandbox | null,
): string {
  if (sandbox) return `sandbox, no real money: ${sandbox.provider.apiUrl}`;
  if (key === null) return 'not configured: STRIPE_SECRET_KEY is missing';
  if (webhookSecrets.length === 0) return 'not configured: STRIPE_WEBHOOK_SECRET is missing';
  return apiUrl
    ? `Stripe-compatible server at ${apiUrl}`
    : `Stripe, with a ${key.includes('_live_') ? 'live' : 'test'} key`;
}
