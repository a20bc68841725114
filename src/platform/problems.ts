/** The table of all problems: each stable `code` under its status, with title and explanation for the caller. */
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

const problemsByStatus = {
  400: {
    malformed_request: [
      'Malformed request',
      'The request is not valid HTTP or its address cannot be decoded.',
    ],
    malformed_json: ['Malformed JSON', 'The body must be a JSON document in UTF-8 without duplicate names.'],
    idempotency_key_weak: [
      'Idempotency key too easy to guess',
      'Without a token an idempotency key must be random: a UUID (uuidgen, crypto.randomUUID()), or at least 22 characters of base64url, which is 16 random bytes.',
    ],
    signature_invalid: [
      'Signature invalid',
      'The signature matches none of the configured secrets, or the event is too old.',
    ],
    event_refused: ['Event refused', 'The mode or the format of this event is not accepted.'],
    token_in_query: [
      'Token in the address',
      'Send the token in the Authorization header. Treat this one as exposed and revoke it.',
    ],
  },
  401: {
    unauthorized: ['Token required', 'This operation needs an access token; see WWW-Authenticate.'],
    invalid_token: [
      'Token not valid',
      'The access token is unknown, expired, revoked, or was sent with another scheme than it was issued for.',
    ],
    invalid_dpop_proof: [
      'DPoP proof not valid',
      'The DPoP proof does not match this request, this token or the current time, or was used before.',
    ],
    sign_in_refused: [
      'Sign-in refused',
      'The challenge is unknown, expired or used, its nonce is wrong, or it was sealed to a key that this service does not know.',
    ],
  },
  402: {
    payment_required: [
      'Payment required',
      `This order is not paid, or its payment is not settled yet. Read the status of the order before anyone pays: while it is \`pending\`, the same checkout with the same idempotency key gives its payment page again, for ${PAYMENT_PAGE_MINUTES} minutes; once it is \`expired\`, make a new checkout.`,
    ],
  },
  403: {
    insufficient_scope: ['Scope missing', 'The access token lacks the scope that this operation needs.'],
    client_token_required: [
      'For the client itself',
      'This operation is for the client alone, not for a person whom it acts for: ask for a token with the grant client_credentials.',
    ],
    owner_only: ['For owners only', 'This needs the role owner in the configuration of the service.'],
    form_expired: [
      'Form expired',
      `This form does not belong to a payment of this browser, or is older than ${formatDurationInWords(FORM_DAYS * DAY_MS)}.`,
    ],
    https_required: [
      'HTTPS required',
      'This address is available over HTTPS only. Treat anything sent without it as exposed.',
    ],
    foreign_form: ['Form from another site', 'This address accepts forms from pages of this site only.'],
    foreign_origin: [
      'From another site',
      'This address answers no page of another site, and only under its own name: the Origin header, if there is one, and the Host header must be those of this site.',
    ],
    sign_in_expired: [
      'Sign-in over',
      'This sign-in has expired, is finished, or was begun in another browser. Begin again at the client.',
    ],
  },
  404: {
    case_unknown: ['Case unknown', 'There is no such case.'],
    not_found: ['Not found', 'There is nothing at this address.'],
  },
  405: {
    method_not_allowed: [
      'Method not allowed',
      'This address does not support this method; see the Allow header.',
    ],
  },
  406: {
    not_acceptable: ['Not acceptable', 'The Accept header excludes every format that this address offers.'],
  },
  408: { request_timeout: ['Request timeout', 'The request did not arrive completely in time.'] },
  409: {
    registration_state: [
      'Not possible in this state',
      'This is not possible in the current state of the registration.',
    ],
    case_state: ['Not possible in this state', 'This is not possible in the current state of the case.'],
    case_changed: ['Case changed', 'The case has changed in the meantime; read it again.'],
    case_held: ['A colleague has this case', 'A colleague has this case; take it over first.'],
    case_exists: [
      'Words in use',
      'A case with these words already exists; send the inquiry with new words, or a plain one without any.',
    ],
    order_redeemed: [
      'Order already used',
      'This order has already opened a case. Do not pay again: the list of cases has it. If the words in the response were lost, only the same request with the same random key (over MCP, the same `submission_key`) gives them again, and only for a day.',
    ],
    order_refunded: [
      'Order refunded',
      'The payment of this order was given back, so it opens no case. For another inquiry make a new checkout.',
    ],
    case_sealed_elsewhere: [
      'Case not sealed here',
      'Only a case with `sealed_by: server` can be read or answered in plain text. The words were not looked at or stored, but this service has now received them: consider them seen by it. Open the case with the words on your own machine.',
    ],
    upload_incomplete: [
      'Upload incomplete',
      'An upload of this inquiry is missing or incomplete; upload it again.',
    ],
    sealing_keys_changed: [
      'Sealed to other keys',
      'This must be sealed to every desk key, a case key also to the recovery key and the words, and to no other. The keys may have changed: fetch the sealing keys again, and seal again. Nothing was stored, and no payment is spent.',
    ],
    sealing_set_changed: [
      'Other keys',
      'The keys of the office are not those that this was about: another person has changed them, or the configuration. Look at the configuration and run it again.',
    ],
    idempotency_key_used: [
      'Idempotency key used up',
      'The payment that was begun with this idempotency key is no longer open: it was paid, used or given back. Look at the orders before anyone pays again; another purchase needs a new key.',
    ],
    payment_held: [
      'Payment being checked',
      'This payment is being checked by a person: its amount or its bank raises a question, or our records come from a backup and it may have been used. Do not pay again: the maintainer releases it or pays it back. Try again in a few hours, or write to the maintainer.',
    ],
  },
  410: {
    link_spent: [
      'Link used or expired',
      'This link was used, has expired, or was replaced. Ask the maintainer for a new one.',
    ],
    case_purged: ['Case purged', 'This case was purged; nothing of it is left.'],
  },
  412: {
    precondition_failed: [
      'Changed meanwhile',
      'The case is no longer as the If-Match header says; nothing was done.',
    ],
  },
  413: { payload_too_large: ['Payload too large', 'The body is larger than this address accepts.'] },
  414: { uri_too_long: ['Address too long', 'A part of the address is too long.'] },
  415: {
    unsupported_media_type: [
      'Unsupported media type',
      'Send the body as application/json in UTF-8 without content coding.',
    ],
  },
  417: { expectation_failed: ['Expectation failed', 'The only supported expectation is 100-continue.'] },
  422: {
    terms_changed: [
      'Other terms are in force',
      `\`terms_version\` names terms that are unknown or ended more than ${FORM_DAYS} days ago. The pricing names the version in force; read the terms before you agree to them. Nothing was stored, and the payment is not spent.`,
    ],
    validation_failed: ['Validation failed', 'Fields of the request are missing, unknown or invalid.'],
    not_sealed: ['Not sealed', 'The data is not sealed in the required format; nothing was stored.'],
    file_unreadable: [
      'File unreadable',
      'This file is damaged, or is not the one that was listed, so nothing of it is sent.',
    ],
    idempotency_key_reused: [
      'Idempotency key reused',
      'This idempotency key was already used with other contents. To repeat that request, send the same fields with the same values; use a new key for another request only.',
    ],
  },
  429: {
    rate_limited: [
      'Too many requests',
      'Too many requests from this person at this client or, without a token, from this address; wait before the next one.',
    ],
  },
  431: { headers_too_large: ['Headers too large', 'The request headers are larger than 16 KiB.'] },
  500: {
    internal_error: [
      'Internal error',
      'Something went wrong on our side. It is safe to repeat the request with the same idempotency key.',
    ],
    case_key_unreadable: [
      'Case key unreadable',
      'The key of this case cannot be read, so no one can open it. Please write to the maintainer.',
    ],
  },
  503: {
    answer_timeout: ['Response timeout', 'The response took too long.', 10],
    not_ready: ['Not ready', 'The service cannot handle requests at the moment.', 5],
    registrations_full: [
      'Registrations full',
      'Too many registrations are waiting for a decision; try again another day.',
      HOUR_SECONDS,
    ],
    contact_full: [
      'Contact box full',
      'Too many messages are waiting; write to the e-mail address of the maintainer instead.',
      HOUR_SECONDS,
    ],
    storage_full: [
      'Storage full',
      'Too much of this kind is stored at the moment; try again later. Nothing was stored.',
      MINUTE_SECONDS,
    ],
    overloaded: ['Overloaded', 'The service receives more requests than it can handle.', 5],
    payments_not_configured: ['Payments not configured', 'Payments are not active on this site.', 300],
    payment_provider_unavailable: [
      'Payment provider unavailable',
      'The payment provider is not responding at the moment. Nothing was charged.',
      10,
    ],
    event_unresolved: [
      'Event unresolved',
      'The event cannot be matched to an order yet; send it again later.',
      60,
    ],
    sealing_keys_changing: [
      'Keys are being changed',
      'The keys that everything is sealed to are being changed at this moment. Nothing was stored, and no payment is spent. Send it again in a few minutes.',
      30,
    ],
    sealing_unavailable: [
      'Sealing unavailable',
      'This could not be sealed or opened at the moment. Send it again: nothing is stored twice.',
      5,
    ],
    storage_unavailable: [
      'Storage unavailable',
      'The database is not responding at the moment. It is safe to repeat the request with the same idempotency key.',
      10,
    ],
  },
} as const satisfies Record<
  number,
  Record<string, readonly [title: string, detail: string, retryAfter?: number]>
>;

type Problems = typeof problemsByStatus;

export type ProblemCode = { [Status in keyof Problems]: keyof Problems[Status] }[keyof Problems];

export const problemKinds = Object.fromEntries(
  Object.entries(problemsByStatus).flatMap(([status, problems]) =>
    Object.entries(problems).map(([code, [title, detail, retryAfter]]) => [
      code,
      { status: Number(status), title, detail, ...(retryAfter && { retryAfter }) },
    ]),
  ),
) as Record<ProblemCode, ProblemKind>;
