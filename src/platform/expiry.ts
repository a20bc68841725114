/** How long the form and an Idempotency-Key are good for: as low as the problems and headers that name it. */

/** The form after a payment, in the browser that paid. */
export const FORM_DAYS = 30;
/** An Idempotency-Key. */
export const IDEMPOTENCY_KEY_HOURS = 24;
