/** The table of all problems: each stable `code` with its status, title and explanation for the caller. */
import { DAY_MS, HOUR_SECONDS, MINUTE_SECONDS } from './durations.ts';
import { FORM_DAYS, PAYMENT_PAGE_MINUTES } from './expiry.ts';
import { formatDurationInWords } from './text/spelled-duration.ts';

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Seconds to wait before trying again. */
  readonly retryAfter?: number;
}

export const problemKinds = {
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    detail: 'The request is not valid HTTP or its address cannot be decoded.',
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    detail: 'The body must be a JSON document in UTF-8 without duplicate names.',
  },
  idempotency_key_weak: {
    status: 400,
    title: 'Idempotency key too easy to guess',
    detail:
      'Without a token an idempotency key must be random: a UUID (uuidgen, crypto.randomUUID()), or at least 22 characters of base64url, which is 16 random bytes.',
  },
  signature_invalid: {
    status: 400,
    title: 'Signature invalid',
    detail: 'The signature matches none of the configured secrets, or the event is too old.',
  },
  event_refused: {
    status: 400,
    title: 'Event refused',
    detail: 'The mode or the format of this event is not accepted.',
  },
  token_in_query: {
    status: 400,
    title: 'Token in the address',
    detail: 'Send the token in the Authorization header. Treat this one as exposed and revoke it.',
  },
  unauthorized: {
    status: 401,
    title: 'Token required',
    detail: 'This operation needs an access token; see WWW-Authenticate.',
  },
  invalid_token: {
    status: 401,
    title: 'Token not valid',
    detail:
      'The access token is unknown, expired, revoked, or was sent with another scheme than it was issued for.',
  },
  invalid_dpop_proof: {
    status: 401,
    title: 'DPoP proof not valid',
    detail: 'The DPoP proof does not match this request, this token or the current time, or was used before.',
  },
  sign_in_refused: {
    status: 401,
    title: 'Sign-in refused',
    detail:
      'The challenge is unknown, expired or used, its nonce is wrong, or it was sealed to a key that this service does not know.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Scope missing',
    detail: 'The access token lacks the scope that this operation needs.',
  },
  client_token_required: {
    status: 403,
    title: 'For the client itself',
    detail:
      'This operation is for the client alone, not for a person whom it acts for: ask for a token with the grant client_credentials.',
  },
  owner_only: {
    status: 403,
    title: 'For owners only',
    detail: 'This needs the role owner in the configuration of the service.',
  },
  payment_required: {
    status: 402,
    title: 'Payment required',
    detail: `This order is not paid, or its payment is not settled yet. Read the status of the order before anyone pays: while it is \`pending\`, the same checkout with the same idempotency key gives its payment page again, for ${PAYMENT_PAGE_MINUTES} minutes; once it is \`expired\`, make a new checkout.`,
  },
  form_expired: {
    status: 403,
    title: 'Form expired',
    detail: `This form does not belong to a payment of this browser, or is older than ${formatDurationInWords(FORM_DAYS * DAY_MS)}.`,
  },
  https_required: {
    status: 403,
    title: 'HTTPS required',
    detail: 'This address is available over HTTPS only. Treat anything sent without it as exposed.',
  },
  foreign_form: {
    status: 403,
    title: 'Form from another site',
    detail: 'This address accepts forms from pages of this site only.',
  },
  foreign_origin: {
    status: 403,
    title: 'From another site',
    detail:
      'This address answers no page of another site, and only under its own name: the Origin header, if there is one, and the Host header must be those of this site.',
  },
  sign_in_expired: {
    status: 403,
    title: 'Sign-in over',
    detail:
      'This sign-in has expired, is finished, or was begun in another browser. Begin again at the client.',
  },
  case_unknown: { status: 404, title: 'Case unknown', detail: 'There is no such case.' },
  not_found: { status: 404, title: 'Not found', detail: 'There is nothing at this address.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This address does not support this method; see the Allow header.',
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    detail: 'The Accept header excludes every format that this address offers.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    detail: 'The request did not arrive completely in time.',
  },
  registration_state: {
    status: 409,
    title: 'Not possible in this state',
    detail: 'This is not possible in the current state of the registration.',
  },
  case_state: {
    status: 409,
    title: 'Not possible in this state',
    detail: 'This is not possible in the current state of the case.',
  },
  case_changed: {
    status: 409,
    title: 'Case changed',
    detail: 'The case has changed in the meantime; read it again.',
  },
  case_held: {
    status: 409,
    title: 'A colleague has this case',
    detail: 'A colleague has this case; take it over first.',
  },
  case_exists: {
    status: 409,
    title: 'Words in use',
    detail:
      'A case with these words already exists; send the inquiry with new words, or a plain one without any.',
  },
  order_redeemed: {
    status: 409,
    title: 'Order already used',
    detail:
      'This order has already opened a case. Do not pay again: the list of cases has it. If the words in the response were lost, only the same request with the same random key (over MCP, the same `submission_key`) gives them again, and only for a day.',
  },
  order_refunded: {
    status: 409,
    title: 'Order refunded',
    detail:
      'The payment of this order was given back, so it opens no case. For another inquiry make a new checkout.',
  },
  case_sealed_elsewhere: {
    status: 409,
    title: 'Case not sealed here',
    detail:
      'Only a case with `sealed_by: server` can be read or answered in plain text. The words were not looked at or stored, but this service has now received them: consider them seen by it. Open the case with the words on your own machine.',
  },
  upload_incomplete: {
    status: 409,
    title: 'Upload incomplete',
    detail: 'An upload of this inquiry is missing or incomplete; upload it again.',
  },
  terms_changed: {
    status: 422,
    title: 'Other terms are in force',
    detail: `\`terms_version\` names terms that are unknown or ended more than ${FORM_DAYS} days ago. The pricing names the version in force; read the terms before you agree to them. Nothing was stored, and the payment is not spent.`,
  },
  sealing_keys_changed: {
    status: 409,
    title: 'Sealed to other keys',
    detail:
      'This must be sealed to every desk key, a case key also to the recovery key and the words, and to no other. The keys may have changed: fetch the sealing keys again, and seal again. Nothing was stored, and no payment is spent.',
  },
  sealing_set_changed: {
    status: 409,
    title: 'Other keys',
    detail:
      'The keys of the office are not those that this was about: another person has changed them, or the configuration. Look at the configuration and run it again.',
  },
  idempotency_key_used: {
    status: 409,
    title: 'Idempotency key used up',
    detail:
      'The payment that was begun with this idempotency key is no longer open: it was paid, used or given back. Look at the orders before anyone pays again; another purchase needs a new key.',
  },
  payment_held: {
    status: 409,
    title: 'Payment being checked',
    detail:
      'This payment is being checked by a person: its amount or its bank raises a question, or our records come from a backup and it may have been used. Do not pay again: the maintainer releases it or pays it back. Try again in a few hours, or write to the maintainer.',
  },
  link_spent: {
    status: 410,
    title: 'Link used or expired',
    detail: 'This link was used, has expired, or was replaced. Ask the maintainer for a new one.',
  },
  case_purged: { status: 410, title: 'Case purged', detail: 'This case was purged; nothing of it is left.' },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    detail: 'The body is larger than this address accepts.',
  },
  uri_too_long: { status: 414, title: 'Address too long', detail: 'A part of the address is too long.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'Send the body as application/json in UTF-8 without content coding.',
  },
  expectation_failed: {
    status: 417,
    title: 'Expectation failed',
    detail: 'The only supported expectation is 100-continue.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    detail: 'Fields of the request are missing, unknown or invalid.',
  },
  not_sealed: {
    status: 422,
    title: 'Not sealed',
    detail: 'The data is not sealed in the required format; nothing was stored.',
  },
  file_unreadable: {
    status: 422,
    title: 'File unreadable',
    detail: 'This file is damaged, or is not the one that was listed, so nothing of it is sent.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    detail:
      'This idempotency key was already used with other contents. To repeat that request, send the same fields with the same values; use a new key for another request only.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    detail:
      'Too many requests from this person at this client or, without a token, from this address; wait before the next one.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    detail: 'The request headers are larger than 16 KiB.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    detail:
      'Something went wrong on our side. It is safe to repeat the request with the same idempotency key.',
  },
  case_key_unreadable: {
    status: 500,
    title: 'Case key unreadable',
    detail: 'The key of this case cannot be read, so no one can open it. Please write to the maintainer.',
  },
  answer_timeout: {
    status: 503,
    title: 'Response timeout',
    detail: 'The response took too long.',
    retryAfter: 10,
  },
  not_ready: {
    status: 503,
    title: 'Not ready',
    detail: 'The service cannot handle requests at the moment.',
    retryAfter: 5,
  },
  registrations_full: {
    status: 503,
    title: 'Registrations full',
    detail: 'Too many registrations are waiting for a decision; try again another day.',
    retryAfter: HOUR_SECONDS,
  },
  contact_full: {
    status: 503,
    title: 'Contact box full',
    detail: 'Too many messages are waiting; write to the e-mail address of the maintainer instead.',
    retryAfter: HOUR_SECONDS,
  },
  storage_full: {
    status: 503,
    title: 'Storage full',
    detail: 'Too much of this kind is stored at the moment; try again later. Nothing was stored.',
    retryAfter: MINUTE_SECONDS,
  },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    detail: 'The service receives more requests than it can handle.',
    retryAfter: 5,
  },
  payments_not_configured: {
    status: 503,
    title: 'Payments not configured',
    detail: 'Payments are not active on this site.',
    retryAfter: 300,
  },
  payment_provider_unavailable: {
    status: 503,
    title: 'Payment provider unavailable',
    detail: 'The payment provider is not responding at the moment. Nothing was charged.',
    retryAfter: 10,
  },
  event_unresolved: {
    status: 503,
    title: 'Event unresolved',
    detail: 'The event cannot be matched to an order yet; send it again later.',
    retryAfter: 60,
  },
  sealing_keys_changing: {
    status: 503,
    title: 'Keys are being changed',
    detail:
      'The keys that everything is sealed to are being changed at this moment. Nothing was stored, and no payment is spent. Send it again in a few minutes.',
    retryAfter: 30,
  },
  sealing_unavailable: {
    status: 503,
    title: 'Sealing unavailable',
    detail: 'This could not be sealed or opened at the moment. Send it again: nothing is stored twice.',
    retryAfter: 5,
  },
  storage_unavailable: {
    status: 503,
    title: 'Storage unavailable',
    detail:
      'The database is not responding at the moment. It is safe to repeat the request with the same idempotency key.',
    retryAfter: 10,
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problemKinds;

export function getProblemKind(code: ProblemCode): ProblemKind {
  return problemKinds[code];
}
