/** The states of a case and of its call, as the service stores them and the desk shows them. */

/** In the order in which a case passes through them. A purged case has no state, only a tombstone. */
export const CASE_STATES = [
  'received',
  'in_progress',
  'awaiting_client',
  'delivered',
  'declined',
  'withdrawn',
] as const;
export type CaseState = (typeof CASE_STATES)[number];

export type CasePhase = 'open' | 'answered' | 'closed';

/** Groups the states by what may still be done: open, answered, or closed without an answer. */
export const casePhases: Readonly<Record<CaseState, CasePhase>> = {
  received: 'open',
  in_progress: 'open',
  awaiting_client: 'open',
  delivered: 'answered',
  declined: 'closed',
  withdrawn: 'closed',
};

/** The states of the call that some tiers include; `proposed` once the buyer has given times for it. */
export const CALL_STATES = ['none', 'offered', 'proposed', 'booked', 'held'] as const;
export type CallState = (typeof CALL_STATES)[number];

/** Where the plain text was sealed; only with `server` did this service ever see it. */
export const SEALED_BY = ['browser', 'agent', 'server'] as const;
export type SealedBy = (typeof SEALED_BY)[number];
