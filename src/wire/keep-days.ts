/**
 * The days for which a case may be kept, counted from the delivery; the first is the default. Put a new default in
 * front and keep the others, because stored cases use them.
 */
export const KEEP_DAYS = [30, 90, 180, 365] as const;

/** How long a desk remembers a case after last opening it: the longest retention, and three months for the work. */
export const REMEMBERED_DAYS = Math.max(...KEEP_DAYS) + 92;

/** How long a purge requested by an investigator can be undone. */
export const PURGE_WAIT_HOURS = 24;

/** The maximum time that an owed refund is stored, counted from the decline: more than a year, for bookkeeping. */
export const REFUND_DAYS = 400;
