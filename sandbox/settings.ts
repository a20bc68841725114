/** Reads the environment once and reports every mistake together. */
import { resolve } from 'node:path';

export interface SandboxSettings {
  readonly port: number;
  /** Where browsers and the SDK reach the sandbox. */
  readonly origin: string;
  readonly dataDir: string;
  readonly secretKey: string;
  readonly webhookSecrets: readonly string[];
  readonly webhookUrl: string;
}

/** sysexits.h: EX_CONFIG. */
export const EXIT_CONFIG = 78;

/** Why the sandbox does not run, for a person to read. */
export class SandboxStartError extends Error {
  readonly exitCode: number;
  readonly reasons: readonly string[];

  constructor(exitCode: number, ...reasons: readonly string[]) {
    super(reasons.join('\n'));
    this.exitCode = exitCode;
    this.reasons = reasons;
  }
}

export function readSandboxSettings(env: NodeJS.ProcessEnv = process.env): SandboxSettings {
  const port = env['SANDBOX_PORT'] || '8480';
  const secretKey = env['STRIPE_SECRET_KEY'] ?? '';
  const webhookSecrets = (env['STRIPE_WEBHOOK_SECRET'] ?? '').split(',').map((secret) => secret.trim());
  const siteUrl = env['SITE_URL'] || 'https://localhost:8443';
  const apiPath = env['API_PATH'] ?? '/api';
  const isPort = /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536;
  const hasSecrets = webhookSecrets.every((secret) => /^whsec_\S+$/.test(secret));
  const mistakes = [
    isPort ? [] : 'SANDBOX_PORT is not a port (1 to 65535)',
    /^(sk|rk)_test_\S+$/.test(secretKey) ? [] : 'STRIPE_SECRET_KEY must begin with sk_test_ or rk_test_',
    hasSecrets ? [] : 'STRIPE_WEBHOOK_SECRET must be a comma list of secrets that begin with whsec_',
    isHttpsOrigin(siteUrl) ? [] : 'SITE_URL must be an https origin such as https://localhost:8443',
    /^(\/[\w.~-]+)*$/.test(apiPath) ? [] : 'API_PATH must be empty or a path such as /api',
  ].flat();
  if (mistakes.length > 0) throw new SandboxStartError(EXIT_CONFIG, ...mistakes);
  return {
    port: Number(port),
    origin: `http://127.0.0.1:${Number(port)}`,
    dataDir: resolve(env['DATA_DIR'] || './data'),
    secretKey,
    webhookSecrets,
    webhookUrl: `${siteUrl.replace(/\/$/, '')}${apiPath}/stripe/webhook`,
  };
}

function isHttpsOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && `${url.origin}/` === url.href;
}
