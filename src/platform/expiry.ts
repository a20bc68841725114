/** Lifetimes, defined in this layer because problems, headers, texts and the desk all quote them. */

/** How long the browser that paid may use the form. */
export const FORM_DAYS = 30;
/** How long a payment page accepts a payment. */
export const PAYMENT_PAGE_MINUTES = 60;
/** The payer may take a while to come back from the payment page. */
export const PURCHASE_COOKIE_HOURS = 2;
/** When a payer is sent a link back to the form; most have sent the form by then and need none. */
export const RETURN_LINK_MINUTES = 60;
/** A session can be paid for an hour, and the provider resends its events for thirty days. */
export const UNPAID_ORDER_DAYS = 30;
/** The lifetime of a program's registration that is undecided or was rejected. */
export const REGISTRATION_DAYS = 30;
export const IDEMPOTENCY_KEY_HOURS = 24;
