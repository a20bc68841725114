/** Configurations for tests, and a function that lists their mistakes. */
import assert from 'node:assert/strict';
import { ConfigError, readConfig } from '#platform/config/config.ts';

export const RECIPIENT = `age1pq1${'q'.repeat(1_952)}`;
export const RECOVERY = `age1pq1${'p'.repeat(1_952)}`;

/** The minimum configuration of production. */
export const production = {
  NODE_ENV: 'production',
  TLS: 'proxy',
  TRUSTED_PROXIES: '10.0.0.0/8',
  MAINTAINER_EMAIL: 'desk@example.org',
  OPERATOR_NAME: 'Example Inquiries Ltd',
  OPERATOR_ADDRESS: '1 Example Street, Exampletown',
  OPERATOR_LAW: 'Ireland',
  DESK_RECIPIENTS: `${RECIPIENT},${RECIPIENT}`,
  RECOVERY_RECIPIENT: RECOVERY,
  SITE_URL: 'https://inquiry.example',
  SMTP_URL: 'smtps://mail.example',
  MAIL_FROM: 'desk@example.org',
};

export function listConfigMistakes(environment: Record<string, string>, envFile?: string): readonly string[] {
  try {
    readConfig(environment, envFile);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.mistakes;
  }
  return [];
}

export function listMistakenNames(environment: Record<string, string>): (string | undefined)[] {
  return listConfigMistakes(environment).map((mistake) => mistake.split(':')[0]);
}
