/** Signs events as in Standard Webhooks (standardwebhooks.com), so that receivers can check them with its libraries. */
import { createHmac, randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Receivers reject timestamps that are further away than this. */
export const REPLAY_MINUTES = 5;

export function generateWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

interface SignedMessage {
  /** The same in every attempt. */
  readonly id: string;
  readonly body: string;
  /** The time of the attempt. */
  readonly now: number;
}

export function buildSignedHeaders(
  secret: string,
  { id, body, now }: SignedMessage,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
