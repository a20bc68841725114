/** The payment settings, and the names of the provider and its variables in configuration and command line. */
import { isOrigin } from '../net/networks.ts';
import { type EnvironmentReader, PORTS } from './environment.ts';

export const PAYMENT_PROVIDER = 'Stripe';
/** The option of the setup that asks for the key. */
export const PAYMENT_OPTION = 'stripe';
export const PAYMENT_VARIABLES = {
  key: 'STRIPE_SECRET_KEY',
  webhookSecret: 'STRIPE_WEBHOOK_SECRET',
} as const;
export const EXAMPLE_PAYMENT_PAGE = 'https://checkout.stripe.com/c/pay/cs_live_a1B2c3';
/** The files in which the setup stores these secrets. */
export const PAYMENT_SECRET_FILES = {
  [PAYMENT_VARIABLES.key]: 'stripe.key',
  [PAYMENT_VARIABLES.webhookSecret]: 'stripe-webhook.secret',
} as const;

const URL_VARIABLE = 'STRIPE_API_URL';
/** Matches the beginning of a key, even of an invalid one. */
export const PAYMENT_KEY_START = /^(?:sk|rk)_/;
const KEY = /^(?:sk|rk)_(test|live)_\S+$/;
const WEBHOOK_SECRET = /^whsec_\S+$/;

/** Reads from the key itself whether it moves money. Returns null if it is not a key. */
export function readKeyMode(key: string | null | undefined): 'test' | 'live' | null {
  return (KEY.exec(key ?? '')?.[1] ?? null) as 'test' | 'live' | null;
}

/** Without these variables, nothing can be bought. */
export function listMissingPaymentVariables({
  key,
  webhookSecrets,
}: Pick<ReturnType<typeof readPayments>, 'key' | 'webhookSecrets'>): string[] {
  const { key: keyName, webhookSecret } = PAYMENT_VARIABLES;
  return [key === null && keyName, webhookSecrets.length === 0 && webhookSecret].filter(Boolean) as string[];
}

export function readPayments(reader: EnvironmentReader, isProduction: boolean) {
  const key = reader.readSecret(PAYMENT_VARIABLES.key) ?? null;
  const mode = readKeyMode(key);
  const webhookSecrets = readWebhookSecrets(reader);
  const sandbox = readSandbox(reader, key === null && !isProduction);
  const apiUrl = readApiUrl(reader);
  if (key !== null && mode === null)
    reader.addMistake(
      PAYMENT_VARIABLES.key,
      'a key that begins with sk_test_, rk_test_, sk_live_ or rk_live_',
    );
  if (mode === 'live' && (sandbox || apiUrl))
    reader.addMistake(PAYMENT_VARIABLES.key, `a test key with the sandbox or with ${URL_VARIABLE}`);
  return { key, webhookSecrets, apiUrl, sandbox };
}

/** There are several while a secret is rotated: the provider then signs with each of them. */
function readWebhookSecrets(reader: EnvironmentReader): string[] {
  const name = PAYMENT_VARIABLES.webhookSecret;
  const secrets = (reader.readSecret(name) ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter(Boolean);
  if (secrets.some((secret) => !WEBHOOK_SECRET.test(secret)))
    reader.addMistake(name, 'secrets that begin with whsec_, separated by commas');
  return secrets;
}

function readSandbox(reader: EnvironmentReader, isExpected: boolean) {
  const isOn = reader.readOneOf('SANDBOX', isExpected ? 'on' : 'off', ['on', 'off']) === 'on';
  const port = reader.readInteger('SANDBOX_PORT', 8480, PORTS);
  return isOn ? { port } : null;
}

function readApiUrl(reader: EnvironmentReader): string | null {
  const value = reader.readText(URL_VARIABLE);
  if (value === undefined) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url && /^https?:$/.test(url.protocol) && isOrigin(url)) return url.origin;
  reader.addMistake(URL_VARIABLE, 'an http:// or https:// address with only scheme, host and port');
  return null;
}
