/** What can go wrong, as one table: each stable `code` with its status, title and the sentence a caller reads. */

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Seconds after which trying again makes sense. */
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
    detail: 'The body is not a JSON document in UTF-8 with distinct names.',
  },
  signature_invalid: {
    status: 400,
    title: 'Signature invalid',
    detail: 'The event is not signed with a secret that this service knows, or is too old.',
  },
  event_refused: {
    status: 400,
    title: 'Event refused',
    detail: 'The event is of a mode or a form that this service does not take.',
  },
  token_in_query: {
    status: 400,
    title: 'Token in the address',
    detail: 'A token is sent in the Authorization header only. Consider this one exposed and revoke it.',
  },
  unauthorized: {
    status: 401,
    title: 'Token required',
    detail: 'This operation needs an access token; see WWW-Authenticate.',
  },
  invalid_token: {
    status: 401,
    title: 'Token not valid',
    detail: 'The access token is unknown, expired, revoked, or shown in another way than it was issued for.',
  },
  invalid_dpop_proof: {
    status: 401,
    title: 'DPoP proof not valid',
    detail: 'The DPoP proof does not belong to this request, this token or this time, or was used before.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Scope missing',
    detail: 'The access token does not carry the scope that this operation needs; see WWW-Authenticate.',
  },
  payment_required: {
    status: 402,
    title: 'Payment required',
    detail: 'This payment is not complete, was given back, or has opened a case already.',
  },
  form_expired: {
    status: 403,
    title: 'Form expired',
    detail: 'This form does not belong to a payment of this browser, or is older than thirty days.',
  },
  https_required: {
    status: 403,
    title: 'HTTPS required',
    detail: 'This address answers over HTTPS only. Whatever was sent in clear should be considered exposed.',
  },
  foreign_form: {
    status: 403,
    title: 'Form from another site',
    detail: 'This address takes forms only from pages of this site.',
  },
  sign_in_expired: {
    status: 403,
    title: 'Sign-in over',
    detail:
      'This sign-in has expired, is finished, or was begun in another browser. Begin again at the client.',
  },
  case_unknown: { status: 404, title: 'Case unknown', detail: 'No case opens with this.' },
  not_found: { status: 404, title: 'Not found', detail: 'Nothing is at this address.' },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This address does not take this method; see the Allow header.',
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
    title: 'Not in this state',
    detail: 'The registration is not in a state that allows this.',
  },
  case_state: {
    status: 409,
    title: 'Not in this state',
    detail: 'The case is not in a state that allows this.',
  },
  case_changed: {
    status: 409,
    title: 'Case changed',
    detail: 'Something else was written to the case meanwhile; read it again.',
  },
  case_exists: {
    status: 409,
    title: 'Words in use',
    detail: 'A case has been sealed with these words already; seal the inquiry with new ones.',
  },
  upload_incomplete: {
    status: 409,
    title: 'Upload incomplete',
    detail: 'Something that belongs to this inquiry did not arrive whole; upload it again.',
  },
  link_spent: {
    status: 410,
    title: 'Link used or too old',
    detail:
      'This link was used, is older than three days, or was replaced. Ask the maintainer for a new one.',
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
    detail: 'The only expectation that is met is 100-continue.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    detail: 'The request does not have the expected fields; see errors.',
  },
  not_sealed: {
    status: 422,
    title: 'Not sealed',
    detail: 'What was sent is not sealed in the way that this service keeps; nothing was stored.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    detail: 'This Idempotency-Key was used with another body; use a new key for a new request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    detail: 'Too many requests from this address; wait as long as Retry-After says.',
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
      'Something went wrong on our side. A request repeated with the same Idempotency-Key has its effect once.',
  },
  answer_timeout: {
    status: 503,
    title: 'No answer in time',
    detail: 'The answer took too long.',
    retryAfter: 10,
  },
  not_ready: {
    status: 503,
    title: 'Not ready',
    detail: 'The service cannot take work at the moment.',
    retryAfter: 5,
  },
  registrations_full: {
    status: 503,
    title: 'Registrations full',
    detail: 'As many registrations wait as a maintainer can look at; try again another day.',
    retryAfter: 3_600,
  },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    detail: 'The service has more requests than it can answer.',
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
    detail: 'The payment provider does not answer at the moment. Nothing was charged.',
    retryAfter: 10,
  },
  event_unresolved: {
    status: 503,
    title: 'Event unresolved',
    detail: 'The event cannot be matched yet; deliver it again.',
    retryAfter: 60,
  },
  storage_unavailable: {
    status: 503,
    title: 'Storage unavailable',
    detail:
      'The record store does not answer at the moment. A request repeated with the same Idempotency-Key has its effect once.',
    retryAfter: 10,
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problemKinds;

export function getProblemKind(code: ProblemCode): ProblemKind {
  return problemKinds[code];
}
