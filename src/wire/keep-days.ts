/** The days for which a case may be kept, counted from the delivery; the first is the default. */
export const KEEP_DAYS = [30, 90, 180, 365] as const;

/** How long a purge that an investigator asks for can be undone. */
export const PURGE_WAIT_HOURS = 24;
