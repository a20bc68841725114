/** What a program should do about each problem, for the page that the problem's `type` leads to. */
import type { ProblemCode } from '#platform/problems.ts';

interface ProblemAdvice {
  /** Whether to send the request again: the same one later, a changed one, or none. */
  readonly retry: 'later' | 'changed' | 'no';
  readonly todo: string;
}

const repeatLater = (todo: string): ProblemAdvice => ({ retry: 'later', todo });
const repeatChanged = (todo: string): ProblemAdvice => ({ retry: 'changed', todo });
const giveUp = (todo: string): ProblemAdvice => ({ retry: 'no', todo });

const REPEAT =
  'Wait as long as `Retry-After` says, then send the same request with the same `Idempotency-Key`.';
const MISTAKE = 'This is a mistake in the program that sent it; a person cannot help.';

export const problemAdvice: Readonly<Record<ProblemCode, ProblemAdvice>> = {
  malformed_request: repeatChanged(`Look at \`detail\`, at the address and at the headers. ${MISTAKE}`),
  malformed_json: repeatChanged(`Write the body with a JSON library, in UTF-8. ${MISTAKE}`),
  idempotency_key_weak: repeatChanged('Make a random key, and use it for repetitions of this request alone.'),
  signature_invalid: giveUp(
    'Only the payment provider calls this. The operator compares the secret of the endpoint.',
  ),
  event_refused: giveUp('Only the payment provider calls this. The operator compares test and live mode.'),
  token_in_query: repeatChanged(
    'Revoke this token, get a new one, and send it in the header `Authorization`. Addresses end up in logs.',
  ),
  unauthorized: repeatChanged(
    'Get a token: `WWW-Authenticate` names the document that says where. `auth.md` has the whole way.',
  ),
  invalid_token: repeatChanged(
    'Get a new token, by refresh or with the client credentials, and send the request again once. If a new token is refused too, the client may be suspended: ask its maintainer.',
  ),
  invalid_dpop_proof: repeatChanged(
    'Make a new proof for each request, with its method, its address without the query, the hash of the token and the present time. `detail` names the part that is wrong.',
  ),
  sign_in_refused: repeatChanged('Ask for a new challenge, with a key that belongs to the desk.'),
  insufficient_scope: repeatChanged(
    'Ask for a token with the scope that `detail` names. If the client does not have it, a maintainer has to grant it; a token for a person also needs that person’s consent.',
  ),
  client_token_required: repeatChanged(
    'Get a token with the grant `client_credentials`, and use it for what concerns the client itself.',
  ),
  owner_only: giveUp('Ask an owner of the desk.'),
  payment_required: repeatChanged(
    'Read the status of the order first. If it is `pending`, send the same checkout with the same `Idempotency-Key` again, show its page to the person and wait; pay nothing twice.',
  ),
  form_expired: giveUp('Ask the person to open the link of their payment again, in the same browser.'),
  https_required: repeatChanged(
    'Use https. If a token or secret was sent without it, revoke or rotate it: it may have been read on the way.',
  ),
  foreign_origin: repeatChanged(
    'Call the address that the documents name, from a program: it sends no `Origin`. A page of another site cannot call it.',
  ),
  foreign_form: giveUp('This form is for people, on its own page. Programs use the API.'),
  sign_in_expired: repeatChanged('Begin a new authorization, and ask the person to go through it again.'),
  case_unknown: giveUp(
    'Check the id, or the words and their order. A case belongs to the client and the person that it was sent for: a token of another kind does not see it.',
  ),
  not_found: giveUp(
    'Check the address. What belongs to another client or person looks as if it did not exist.',
  ),
  method_not_allowed: repeatChanged('Use a method of the header `Allow`.'),
  not_acceptable: repeatChanged('Accept `application/json` and `application/problem+json`, or `*/*`.'),
  request_timeout: repeatLater('Send the same request again, with the same `Idempotency-Key`.'),
  registration_state: giveUp('Read the registration again, then decide again.'),
  case_state: giveUp(
    'Read `detail` and the case: its `state` and its `tier` say what is possible. Tell the person. A delivered case cannot be withdrawn; the person can delete it on the page `/case` with the words.',
  ),
  case_changed: repeatChanged(
    'Read the case and its messages again, show the person what is new, and seal the message again if it still holds.',
  ),
  precondition_failed: repeatChanged(
    'Read the case again, show the person what is new, and send its `ETag` if the wish still holds.',
  ),
  case_held: giveUp('Ask who has the case, or take it over.'),
  case_exists: repeatChanged(
    'Make new words and seal the inquiry with them; send a plain one without words. The payment is not spent.',
  ),
  order_redeemed: giveUp(
    'Do not pay again. List the cases; if the person has the words, they open the case. If this order was to open a second case, make a new checkout.',
  ),
  order_refunded: giveUp('Ask the person whether to buy again, and make a new checkout only then.'),
  case_sealed_elsewhere: giveUp(
    'Open the case on your own machine: `sealing.md` says how. Tell the person that the words were sent to this service.',
  ),
  upload_incomplete: repeatChanged(
    'Send the missing pieces, then the inquiry again. The payment is not spent.',
  ),
  terms_changed: repeatChanged(
    'Show the person the terms that `errors` names, and send again only if the person agrees to them.',
  ),
  sealing_keys_changed: repeatChanged(
    'Fetch the sealing keys again, seal again and send that. No payment is spent.',
  ),
  sealing_set_changed: repeatChanged('Look which keys the office has now, and begin again.'),
  idempotency_key_used: repeatChanged('Ask the person whether to buy again; if so, use a new key.'),
  payment_held: repeatLater(
    'Do not pay again. Tell the person that the payment is under review, and ask again in a few hours.',
  ),
  link_spent: giveUp('Ask the maintainer for a new link.'),
  case_purged: giveUp('Tell the person that the case was deleted. Nothing of it can be had again.'),
  payload_too_large: repeatChanged('Send less: files go in pieces, and limits are in `openapi.json`.'),
  uri_too_long: repeatChanged(`Shorten the part of the address that is too long. ${MISTAKE}`),
  unsupported_media_type: repeatChanged(
    `Set \`Content-Type\` to what the operation takes, without a \`Content-Encoding\`. ${MISTAKE}`,
  ),
  expectation_failed: repeatChanged(`Leave the header \`Expect\` out. ${MISTAKE}`),
  validation_failed: repeatChanged(
    'Each of `errors` has a pointer to a field, or the name of a parameter, and what is wrong with it. Correct these; ask the person only for what they have to say themselves.',
  ),
  not_sealed: repeatChanged('Seal it as `sealing.md` says; its test vectors show where it differs.'),
  file_unreadable: giveUp(
    'Use nothing of the file. The person should know, and may ask the desk for it again.',
  ),
  idempotency_key_reused: repeatChanged(
    'If this is a new request, use a new key. If it is a repetition, send the same fields with the same values, in any order.',
  ),
  rate_limited: repeatLater(
    'Wait as long as `Retry-After` says; asking sooner counts as well. Then go on more slowly.',
  ),
  headers_too_large: repeatChanged(`Send fewer or shorter headers. ${MISTAKE}`),
  internal_error: repeatLater(
    'Send the same request with the same `Idempotency-Key` a few times, with growing pauses. If it stays, write to the maintainer and quote `request_id`.',
  ),
  case_key_unreadable: giveUp('Write to the maintainer and quote `request_id`. The person should know, too.'),
  answer_timeout: repeatLater(REPEAT),
  not_ready: repeatLater(REPEAT),
  registrations_full: repeatLater(
    'Register another day, or write to the maintainer, whose address is in `auth.md`.',
  ),
  contact_full: repeatLater('Write to the e-mail address in `detail`, or try again another day.'),
  storage_full: repeatLater(REPEAT),
  overloaded: repeatLater(`${REPEAT} Double the pause each time.`),
  payments_not_configured: repeatLater(
    'Nothing can be bought here now. Tell the person; ask `GET /stripe/status` before the next try.',
  ),
  payment_provider_unavailable: repeatLater(REPEAT),
  event_unresolved: repeatLater('Only the payment provider calls this; it sends the event again by itself.'),
  sealing_keys_changing: repeatLater(`${REPEAT} If the keys are others then, the next answer says so.`),
  sealing_unavailable: repeatLater(REPEAT),
  storage_unavailable: repeatLater(REPEAT),
};
