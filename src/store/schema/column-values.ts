/** The values of each column with a fixed set of values, but for those of cases (`src/wire/case-states.ts`). */

/** What an e-mail to the desk says about an open case. */
export const ALERT_STAGES = ['due', 'late'] as const;
export type AlertStage = (typeof ALERT_STAGES)[number];

/** What a digest reports about a case that another investigator had. */
export const DIGEST_ACTS = ['decline', 'purge', 'purge_now'] as const;
export type DigestAct = (typeof DIGEST_ACTS)[number];

/** The states of an order's payment, which follow the provider only. */
export const PAYMENT_STATES = [
  'pending',
  'processing',
  'paid',
  'failed',
  'expired',
  'refunded',
  'disputed',
  'charged_back',
  'quarantined',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];
/** An order in another state, or one that was used for its inquiry, is settled. */
export const OPEN_PAYMENT_STATES: readonly PaymentState[] = ['pending', 'processing', 'paid'];
/** Nothing was charged. */
export const UNPAID_STATES: readonly PaymentState[] = ['pending', 'failed', 'expired'];

export const CLIENT_STATUSES = ['active', 'suspended'] as const;

/** `approved` while credentials wait to be collected, the first time or after a rotation. */
export const REGISTRATION_STATUSES = ['pending', 'approved', 'collected', 'rejected'] as const;

/** How an agent may identify itself (specification 5.1). */
export const IDENTITY_TYPES = ['email', 'did', 'oauth'] as const;

/** The kinds of tokens that an agent may use (specification 5.1). */
export const CREDENTIAL_TYPES = ['bearer', 'dpop'] as const;
/** One kind or both. */
export const CREDENTIAL_SETS = [...CREDENTIAL_TYPES, 'bearer dpop'] as const;

/** While `set`, a webhook gets its client's case events; before that its cases are being linked, after it unlinked. */
export const WEBHOOK_STATES = ['marking', 'set', 'ending'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** What an event is about. */
export const EVENT_KINDS = ['order', 'case', 'test'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** A boolean in the form that every engine can store. */
export type SqlBoolean = 0 | 1;
