/**
 * The days for which a case may be kept, counted from the delivery; the first is the default. A number that leaves the
 * list is still in stored cases: a new default is put before it.
 */
export const KEEP_DAYS = [30, 90, 180, 365] as const;

/** A desk key remembers a case for the longest that it may be kept, and a quarter of a year for the work before that, from its last opening. */
export const REMEMBERED_DAYS = Math.max(...KEEP_DAYS) + 92;

/** How long a purge that an investigator asks for can be undone. */
export const PURGE_WAIT_HOURS = 24;

/** How long a refund that is owed is kept at most, counted from the decline; more than a year of bookkeeping. */
export const REFUND_DAYS = 400;
