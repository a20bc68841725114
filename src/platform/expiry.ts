/** Lifetimes of the inquiry form and of Idempotency-Keys; in this layer because problems and headers quote them. */

/** How long the browser that paid may use the form. */
export const FORM_DAYS = 30;
export const IDEMPOTENCY_KEY_HOURS = 24;
