/**
 * One attempt to deliver an event: resolves its webhook, checks once more that it is wanted, signs it as in Standard
 * Webhooks (standardwebhooks.com), so that receivers can check it with its libraries, and posts it.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { SECOND_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { postPinned } from '#platform/net/pinned-request.ts';
import { resolveWebhookTarget, TargetFault, type WebhookNetwork } from '#platform/net/webhook-target.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import type { EventFacts, WebhookFacts } from '#store/clients/webhook-ciphertexts.ts';

/** A receiver that takes longer has failed. */
export const ANSWER_SECONDS = 5;
const GONE = 410;
/** Receivers reject timestamps that are further away than this. */
export const REPLAY_MINUTES = 5;
const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export type DeliveryOutcome =
  | { readonly kind: 'delivered' | 'gone' | 'put off' }
  | { readonly kind: 'failed'; readonly fault: string };

interface DeliveryAttempt {
  readonly network: WebhookNetwork;
  readonly webhook: WebhookFacts;
  readonly id: string;
  readonly facts: EventFacts;
  readonly readTime: () => number;
  /** Checked last, because DNS may have taken a while. */
  readonly isStillWanted: () => Promise<boolean>;
  /** The time limit, from the connection to the status of the answer. */
  readonly answerMs?: number | undefined;
}

export async function attemptDelivery(attempt: DeliveryAttempt): Promise<DeliveryOutcome> {
  const { network, webhook, facts, answerMs = ANSWER_SECONDS * SECOND_MS } = attempt;
  const { type, subject, at } = facts;
  const body = JSON.stringify({ type, timestamp: toIsoTime(at), data: { id: subject } });
  const id = formatEventId(attempt.id);
  let target: Awaited<ReturnType<typeof resolveWebhookTarget>>;
  try {
    target = await resolveWebhookTarget(network, webhook.url);
  } catch (error) {
    return { kind: 'failed', fault: describeFault(error) };
  }
  if (!(await attempt.isStillWanted())) return { kind: 'put off' };
  const signed = buildSignedHeaders(webhook.secret, { id, body, now: attempt.readTime() });
  const headers = { 'content-type': 'application/json', ...signed };
  return await postPinned(target, { headers, body, timeoutMs: answerMs }).then(readStatus, (error) => ({
    kind: 'failed',
    fault: describeFault(error),
  }));
}

function readStatus(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  return status === GONE ? { kind: 'gone' } : { kind: 'failed', fault: `The receiver answered ${status}.` };
}

/** For receivers and for the response to a test. */
export function formatEventId(id: string): string {
  return `evt_${id}`;
}

/** Contains nothing that the receiver or its DNS server wrote. */
function describeFault(error: unknown): string {
  if (error instanceof TargetFault) return error.message;
  const code = readErrorCode(error);
  if (code === 'ABORT_ERR') return `The receiver did not answer within ${ANSWER_SECONDS} seconds.`;
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return 'The certificate of the receiver is not valid.';
  return code === 'ECONNREFUSED'
    ? 'The receiver refuses connections.'
    : 'The connection to the receiver failed.';
}

export function generateWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The id is the same in every attempt, `now` is the time of the attempt. */
export function buildSignedHeaders(
  secret: string,
  { id, body, now }: { readonly id: string; readonly body: string; readonly now: number },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
