/** What columns with a fixed set of values may hold: types, schemas and commands take the lists from here. */

/** In the order in which a case passes through them; `purged`, which comes after, is a tombstone. */
export const CASE_STATES = [
  'received',
  'in_progress',
  'awaiting_client',
  'delivered',
  'declined',
  'withdrawn',
] as const;
export type CaseState = (typeof CASE_STATES)[number];

/** Of the call that some tiers include. */
export const CALL_STATES = ['none', 'offered', 'booked', 'held'] as const;
export type CallState = (typeof CALL_STATES)[number];

/** Where plain text became sealed: only of `server` did this service ever hold it. */
export const SEALED_BY = ['browser', 'agent', 'server'] as const;
export type SealedBy = (typeof SEALED_BY)[number];

/** Of an order, as the provider tells it. */
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

export const CLIENT_STATUSES = ['active', 'suspended'] as const;

/** `approved` while credentials wait to be collected, the first time or after a rotation. */
export const REGISTRATION_STATUSES = ['pending', 'approved', 'collected', 'rejected'] as const;

/** What an agent may be known by, as the specification lists it (5.1). */
export const IDENTITY_TYPES = ['email', 'did', 'oauth'] as const;

/** What it may hold (5.1): tokens of whoever has them, and tokens bound to a key. */
export const CREDENTIAL_TYPES = ['bearer', 'dpop'] as const;
/** One of them, or either. */
export const CREDENTIAL_SETS = [...CREDENTIAL_TYPES, 'bearer dpop'] as const;
