/** The configuration: read once from the environment, validated as a whole and frozen. */
import { resolve } from 'node:path';
import { HOUR_SECONDS } from '../durations.ts';
import { EXIT_CODES, ProgramError } from '../exit-codes.ts';
import { isLoopbackHost, isNetwork, isOrigin, isTooWide, LOOPBACK_NETWORKS } from '../net/networks.ts';
import { ENV_FILE_VARIABLE, readEnvFile } from './env-file.ts';
import { type Environment, EnvironmentReader, PORTS, PROJECT_FOLDER } from './environment.ts';
import { MAIL_ADDRESS, readMail } from './mail-settings.ts';
import { PAYMENT_PROVIDER, PAYMENT_VARIABLES, readKeyMode, readPayments } from './payment-settings.ts';
import { PROGRAM_NAME } from './program-name.ts';
import { RECIPIENTS_EXPECTED, readRecipients } from './recipients.ts';
import { reportUnknownNames } from './unknown-variables.ts';

const SSL_MODES: ReadonlySet<string> = new Set([
  'verify-full',
  'verify-ca',
  'require',
  'no-verify',
  'disable',
]);

const DESK_NETWORKS_VARIABLE = 'DESK_NETWORKS';

/** At least as long as the provider resends events about an order. */
const ORDER_DAYS = { min: 30, max: 36_500 };
/** At most a day, which is half of the delivery time of a finding. */
const UNDO_MINUTES = { min: 0, max: 1_440 };
/** The longest time between shred key backups: until the second one after a purge, backups can restore the case. */
const WEEK_HOURS = 168;
const HOST_NAME = /^[A-Za-z0-9:.-]+$/;
const API_PATH = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)+$/;
const MASTER_KEY_BYTES = 32;

export type Config = ReturnType<typeof readSettings>;

/** At startup, the mistakes are listed one per line. */
export class ConfigError extends ProgramError {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(`The configuration has mistakes: ${mistakes.join('; ')}`, EXIT_CODES.config);
    this.mistakes = mistakes;
  }
}

export function loadConfig(environment: Environment = process.env): Config {
  return readConfig(environment, environment[ENV_FILE_VARIABLE]);
}

/** Reads the variables of the environment and, for those that it does not set, of the file. */
export function readConfig(environment: Environment, envFile?: string): Config {
  const file = readEnvFile(envFile);
  const reader = new EnvironmentReader(environment, file.variables);
  const config = readSettings(reader);
  if (config.production) checkProduction(reader, config);
  file.report(reader);
  reportUnknownNames(reader, environment, file.variables);
  if (reader.mistakes.length > 0) throw new ConfigError(reader.mistakes);
  return freezeDeep(config);
}

const WHEN = `in production (NODE_ENV is production, or the ${PAYMENT_PROVIDER} key is live)`;

/** Adds a mistake for each thing that is missing or unsafe before real people pay and write. */
function checkProduction(reader: EnvironmentReader, config: Config): void {
  const requireThat = (holds: boolean, name: string, expected: string) => {
    if (!holds && !reader.hasMistake(name)) reader.addMistake(name, `${expected} ${WHEN}`);
  };
  const { tls, site, seal, payments, mail } = config;
  requireThat(tls.mode === 'proxy' || tls.files !== null, 'TLS_CERT_FILE', 'a certificate, or TLS=proxy,');
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

function readSettings(reader: EnvironmentReader) {
  const named = reader.readOneOf('NODE_ENV', 'development', ['development', 'test', 'production']);
  const listen = readListeners(reader);
  const payments = readPayments(reader, named === 'production');
  const tls = readTls(reader);
  const site = readSite(reader, listen.port);
  // With a live key, real people pay, whatever the environment is called.
  const production = named === 'production' || readKeyMode(payments.key) === 'live';
  return {
    production,
    listen,
    tls,
    site,
    dataDir: reader.readPath('DATA_DIR') ?? resolve(PROJECT_FOLDER, 'data'),
    contentDir: reader.readPath('CONTENT_DIR') ?? resolve(PROJECT_FOLDER, 'content'),
    store: readStore(reader),
    payments: { ...payments, livemode: production },
    seal: readRecipients(reader),
    deskNetworks: readDeskNetworks(reader),
    backupHours: reader.readInteger('BACKUP_HOURS', 24, { min: 1, max: WEEK_HOURS }),
    mail: readMail(reader),
    sweepSeconds: reader.readInteger('SWEEP_SECONDS', 60, { min: 1, max: HOUR_SECONDS }),
    deliveryUndoMinutes: reader.readInteger('DELIVERY_UNDO_MINUTES', production ? 10 : 0, UNDO_MINUTES),
    ordersKeepDays: reader.readInteger('ORDERS_KEEP_DAYS', 3_650, ORDER_DAYS),
    contactWays: readContactWays(reader),
    clientDocumentHosts: readClientDocumentHosts(reader),
    // If no other machine can reach the site, the programs tested with it run on this machine.
    webhookLoopback: !production && isLoopbackHost(new URL(site.url).hostname),
    rateLimit: reader.readOneOf('RATE_LIMIT', 'on', ['on', 'off']) === 'on',
    secretFiles: reader.secretFiles,
  };
}

export function readListeners(reader: EnvironmentReader) {
  const port = reader.readInteger('PORT', 8443, PORTS);
  const behindProxy = reader.readText('TLS') === 'proxy';
  // Behind a proxy, the proxy redirects HTTP, so the second listener is off by default.
  const httpPort = reader.readIntegerOrOff('HTTP_PORT', behindProxy ? null : 8080, PORTS);
  if (port === httpPort) reader.addMistake('HTTP_PORT', 'a port other than PORT');
  const metricsPort = reader.readIntegerOrOff('METRICS_PORT', null, PORTS);
  if (metricsPort !== null && (metricsPort === port || metricsPort === httpPort))
    reader.addMistake('METRICS_PORT', 'a port other than PORT and HTTP_PORT');
  return {
    host: reader.readMatching('HOST', 'localhost', HOST_NAME, 'a host name or address'),
    port,
    httpPort,
    metricsPort,
  };
}

function readTls(reader: EnvironmentReader) {
  const mode = reader.readOneOf('TLS', 'self', ['self', 'proxy']);
  const certFile = reader.readPath('TLS_CERT_FILE');
  const keyFile = reader.readPath('TLS_KEY_FILE');
  const trustedProxies = reader.readList('TRUSTED_PROXIES');
  if (mode === 'proxy') {
    if (trustedProxies.length === 0)
      reader.addMistake('TRUSTED_PROXIES', 'the addresses of the TLS proxies when TLS is proxy');
    if (!trustedProxies.every(isNetwork))
      reader.addMistake('TRUSTED_PROXIES', 'addresses or networks such as 10.0.0.0/8');
    else if (trustedProxies.some(isTooWide))
      reader.addMistake('TRUSTED_PROXIES', 'the networks of the proxies alone, not half of the internet');
    return { mode, trustedProxies } as const;
  }
  if (trustedProxies.length > 0) reader.addMistake('TRUSTED_PROXIES', 'nothing unless TLS is proxy');
  if (Boolean(certFile) !== Boolean(keyFile))
    reader.addMistake(certFile ? 'TLS_KEY_FILE' : 'TLS_CERT_FILE', 'both certificate and key, or neither');
  return { mode, files: certFile && keyFile ? { cert: certFile, key: keyFile } : null } as const;
}

function readSite(reader: EnvironmentReader, port: number) {
  return {
    name: reader.readText('SITE_NAME') ?? 'Inquiry Office',
    maintainer: reader.readMatching(
      'MAINTAINER_EMAIL',
      'maintainer@localhost',
      MAIL_ADDRESS,
      'an e-mail address',
    ),
    url: readSiteUrl(reader, `https://localhost:${port}`),
    apiPath: reader.readMatching(
      'API_PATH',
      '/api',
      API_PATH,
      'a path such as /api, without a trailing slash',
    ),
    operator: readOperator(reader),
  };
}

/** The party that makes the promises in the terms. If none is configured, as in development, the pages say so. */
function readOperator(reader: EnvironmentReader) {
  return {
    name: reader.readText('OPERATOR_NAME') ?? 'no one yet (this is a test site)',
    address: reader.readText('OPERATOR_ADDRESS') ?? 'no address (this is a test site)',
    law: reader.readText('OPERATOR_LAW') ?? 'no country yet (this is a test site)',
  };
}

function readSiteUrl(reader: EnvironmentReader, fallback: string): string {
  const value = reader.readText('SITE_URL') ?? fallback;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url?.protocol === 'https:' && isOrigin(url)) return url.origin;
  reader.addMistake('SITE_URL', 'an https:// address with only scheme, host and port');
  return fallback;
}

function readStore(reader: EnvironmentReader) {
  const databaseUrl = reader.readSecret('DATABASE_URL') ?? null;
  const masterKey = reader.readSecret('MASTER_KEY') ?? null;
  if (masterKey !== null && !isMasterKey(masterKey)) reader.addMistake('MASTER_KEY', MASTER_KEY_EXPECTED);
  if (databaseUrl && !isPostgresUrl(databaseUrl))
    reader.addMistake('DATABASE_URL', 'postgres://user:password@host:port/database');
  else if (databaseUrl && !isProtectedOnTheWay(databaseUrl))
    reader.addMistake(
      'DATABASE_URL',
      'sslmode=verify-full for a server on another machine, or sslmode=disable if you protect the connection yourself',
    );
  if (databaseUrl && !reader.readText('MASTER_KEY') && !reader.readText('MASTER_KEY_FILE'))
    reader.addMistake('MASTER_KEY', 'a key when DATABASE_URL is set, since all instances must share it');
  return { databaseUrl, masterKey };
}

export const MASTER_KEY_EXPECTED = `one key of ${MASTER_KEY_BYTES} random bytes in base64 (${PROGRAM_NAME} keys master); ${PROGRAM_NAME} keys master change replaces it`;

export function isMasterKey(value: string): boolean {
  return (
    /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) && Buffer.from(value, 'base64').byteLength === MASTER_KEY_BYTES
  );
}

/** The ways in which the desk can reach a buyer, besides the case page. */
const CONTACT_WAYS = ['email', 'phone', 'signal', 'other'] as const;
export type ContactWay = (typeof CONTACT_WAYS)[number];

function readContactWays(reader: EnvironmentReader): readonly ContactWay[] {
  const named = reader.readList('CONTACT_WAYS');
  const ways = CONTACT_WAYS.filter((way) => named.includes(way));
  if (ways.length !== named.length)
    reader.addMistake('CONTACT_WAYS', `a list of ${CONTACT_WAYS.join(', ')}, each at most once`);
  return ways;
}

/** Host names must be spelled as in a URL, because they are compared with the host of a client's id. */
function readClientDocumentHosts(reader: EnvironmentReader): readonly string[] {
  const hosts = reader.readList('CLIENT_DOCUMENT_HOSTS');
  if (hosts.some((host) => host.includes('*') || URL.parse(`https://${host}`)?.host !== host))
    reader.addMistake('CLIENT_DOCUMENT_HOSTS', 'names of hosts in lowercase such as assistant.example');
  return hosts;
}

function freezeDeep<Value>(value: Value): Value {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freezeDeep(member);
  return Object.freeze(value);
}

/** Allows only this machine by default, and no network with `off`. */
function readDeskNetworks(reader: EnvironmentReader): readonly string[] {
  const networks = reader.readList(DESK_NETWORKS_VARIABLE);
  if (networks.length === 0) return LOOPBACK_NETWORKS;
  if (networks.join() === 'off') return [];
  if (networks.every(isNetwork)) return networks;
  reader.addMistake(DESK_NETWORKS_VARIABLE, 'addresses or networks such as 10.8.0.0/24, or off');
  return [];
}

function isPostgresUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  return (
    url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== '' && url.pathname.length > 1
  );
}

/** Without an SSL mode the library connects in cleartext; `disable` is an explicit choice. `host` overrides the URL. */
function isProtectedOnTheWay(value: string): boolean {
  const { hostname, searchParams } = new URL(value);
  const host = searchParams.get('host') ?? hostname;
  if (host.startsWith('/') || isLoopbackHost(host)) return true;
  return SSL_MODES.has(searchParams.get('sslmode') ?? '') || searchParams.get('ssl') === 'true';
}
