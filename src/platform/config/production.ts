/** The checks that only production makes: what the configuration needs before real people pay and write. */

import { isLoopbackHost, isTooWide } from '../net/networks.ts';
import type { EnvironmentReader } from './environment.ts';
import { PAYMENT_PROVIDER, PAYMENT_VARIABLES, readKeyMode } from './payment-settings.ts';

export const RECIPIENTS_EXPECTED = 'post-quantum age recipients (age1pq1…)';

const WHEN = `in production (NODE_ENV is production, or the ${PAYMENT_PROVIDER} key is live)`;

interface CheckedSettings {
  readonly tls: { readonly mode: 'self' | 'proxy'; readonly files?: unknown };
  readonly site: { readonly url: string };
  readonly seal: { readonly desk: readonly string[]; readonly recovery: string | null };
  readonly deskNetworks: readonly string[];
  readonly payments: { readonly key: string | null; readonly sandbox: unknown };
  readonly mail: { readonly smtpUrl: string | null };
  readonly rateLimit: boolean;
}

/** Adds a mistake for each thing that is missing or unsafe. */
export function checkProduction(reader: EnvironmentReader, config: CheckedSettings): void {
  const requireThat = (holds: boolean, name: string, expected: string) => {
    if (!holds && !reader.hasMistake(name)) reader.addMistake(name, `${expected} ${WHEN}`);
  };
  const { tls, site, seal, payments, mail } = config;
  requireThat(tls.mode === 'proxy' || Boolean(tls.files), 'TLS_CERT_FILE', 'a certificate, or TLS=proxy,');
  requireThat(
    !isLoopbackHost(new URL(site.url).hostname),
    'SITE_URL',
    'the public address, which is not localhost,',
  );
  requireThat(Boolean(reader.readText('MAINTAINER_EMAIL')), 'MAINTAINER_EMAIL', 'an e-mail address');
  requireThat(Boolean(reader.readText('OPERATOR_NAME')), 'OPERATOR_NAME', 'who runs this service');
  requireThat(Boolean(reader.readText('OPERATOR_ADDRESS')), 'OPERATOR_ADDRESS', 'a postal address');
  requireThat(
    Boolean(reader.readText('OPERATOR_LAW')),
    'OPERATOR_LAW',
    'the country or state whose law applies',
  );
  requireThat(mail.smtpUrl !== null, 'SMTP_URL', 'a mail server');
  requireThat(
    seal.desk.length > 0 || reader.hasMistake('DESK_RECIPIENTS_FILE'),
    'DESK_RECIPIENTS',
    RECIPIENTS_EXPECTED,
  );
  requireThat(seal.recovery !== null, 'RECOVERY_RECIPIENT', RECIPIENTS_EXPECTED);
  requireThat(
    seal.recovery === null || !seal.desk.includes(seal.recovery),
    'RECOVERY_RECIPIENT',
    'a key other than those of DESK_RECIPIENTS',
  );
  requireThat(
    !config.deskNetworks.some(isTooWide),
    'DESK_NETWORKS',
    'the networks of the investigators alone, not half of the internet,',
  );
  requireThat(payments.sandbox === null, 'SANDBOX', 'off');
  requireThat(
    payments.key === null || readKeyMode(payments.key) === 'live',
    PAYMENT_VARIABLES.key,
    'a live key',
  );
  requireThat(config.rateLimit, 'RATE_LIMIT', 'on');
}
