/** One attempt to deliver an event: resolves its webhook, checks once more that it is wanted, signs and posts it. */

import { SECOND_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { postPinned } from '#platform/net/pinned-request.ts';
import { resolveWebhookTarget, TargetFault, type WebhookNetwork } from '#platform/net/webhook-target.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import type { EventFacts, WebhookFacts } from '#store/clients/webhook-ciphertexts.ts';
import { buildSignedHeaders } from './webhook-signature.ts';

/** A receiver that takes longer has failed. */
export const ANSWER_SECONDS = 5;
const GONE = 410;

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

/** Formats the id that receivers get and that the response to a test contains. */
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
