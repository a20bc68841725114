/**
 * The days for which a case may be kept, counted from the delivery; the first is the default. A new default goes in
 * front and the others stay, because stored cases still have them.
 */
export const KEEP_DAYS = [30, 90, 180, 365] as const;

/** How long a desk remembers a case after last opening it: the longest retention, and three months for the work. */
export const REMEMBERED_DAYS = Math.max(...KEEP_DAYS) + 92;

/** How long a purge that an investigator asks for can be undone. */
export const PURGE_WAIT_HOURS = 24;

/** How long an owed refund is kept at most, counted from the decline: more than a year, for bookkeeping. */
export const REFUND_DAYS = 400;
