/** The events of which webhooks hear, and for how long each is sent. */

/** Attempts to send an event end this many days after its own day. */
export const EVENT_DAYS = 3;

/** The event types by subject. */
export const WEBHOOK_EVENTS = {
  order: ['order.paid'],
  case: [
    'case.question',
    'case.message',
    'case.delivered',
    'case.declined',
    'case.purge_soon',
    'case.purged',
  ],
  test: ['callback.test'],
} as const;

/** For descriptions: lists the events that are about an order or a case. */
export function formatEventNames(): string {
  return [...WEBHOOK_EVENTS.order, ...WEBHOOK_EVENTS.case].map((type) => `\`${type}\``).join(', ');
}

export type CaseEventType = (typeof WEBHOOK_EVENTS)['case'][number];
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[keyof typeof WEBHOOK_EVENTS][number];
