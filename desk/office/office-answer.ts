/** Reads the office's answers: JSON of the expected shape or nothing; refusals become sentences of our own. */
import { isNewerVersion, VERSION } from '#platform/config/version.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { parseJson } from '#platform/http/json.ts';
import { matchesSchema } from '#wire/checked-value.ts';
import { AnyDeskSessionSchema } from '#wire/desk-session.ts';
import { OfficeFault, type OfficeFaultCode } from './office-fault.ts';
import { createHostileFault, type OfficeAnswer } from './office-http.ts';

export type AnswerSchema = Parameters<typeof matchesSchema>[0];

/** An unknown field, a wrong type or another kind of document is refused as a whole. */
export function parseOfficeAnswer<Schema extends AnswerSchema>(
  schema: Schema,
  { mediaType, body }: OfficeAnswer,
) {
  if (mediaType !== 'application/json') throw createHostileFault('it is not JSON');
  const value = parseBody(body);
  if (matchesSchema(schema, value)) return value;
  const told = tellOfficeVersion(value);
  throw createHostileFault(
    `it does not have the format that this version of the desk expects${told && ` (${told})`}`,
  );
}

/** Says which of the two has to be upgraded. */
export function compareVersions(office: string): string {
  const versions = `desk ${VERSION}, office ${office}`;
  if (isNewerVersion(office, VERSION)) return `${versions}; a newer desk is needed`;
  return isNewerVersion(VERSION, office) ? `${versions}; a newer office is needed` : versions;
}

/** The version in a session that this desk cannot read otherwise; empty for all other answers. */
function tellOfficeVersion(value: unknown): string {
  return matchesSchema(AnyDeskSessionSchema, value) ? compareVersions(value.office.version) : '';
}

/** The cause of a `refused` fault: after some problems a caller continues or retries. */
class OfficeProblem extends ProgramError {
  override readonly name = 'OfficeProblem';
  readonly code: string;

  constructor(code: string, status: number) {
    super(code, status === 503 ? EXIT_CODES.unavailable : EXIT_CODES.failure);
    this.code = code;
  }
}

/** The text of a refusal is never shown: an attacker who controls the service could write anything there. */
export function requireSuccess(answer: OfficeAnswer): OfficeAnswer {
  const { status } = answer;
  if (status >= 200 && status < 300) return answer;
  const code = readProblemCode(answer);
  const known = Object.hasOwn(refusals, code) ? code : status === 404 ? 'not_found' : '';
  const [kind, text] = refusals[known] ?? ['refused', `The office refused this (${code || status}).`];
  throw new OfficeFault(kind, text, kind === 'refused' ? new OfficeProblem(code, status) : undefined);
}

export function isOverloaded(answer: OfficeAnswer): boolean {
  return answer.status === 503 && readProblemCode(answer) === 'overloaded';
}

const RETRY = 'The office cannot do this at the moment. Try again in a minute.';

const refusals: Readonly<Record<string, readonly [kind: OfficeFaultCode, text: string]>> = {
  not_found: ['refused', 'The office has no such entry, or no longer has it.'],
  invalid_dpop_proof: [
    'sign_in_refused',
    'The office did not accept this desk’s DPoP proof. Check the clock of this machine.',
  ],
  sign_in_refused: [
    'sign_in_refused',
    'The office does not know your key. Check that DESK_RECIPIENTS contains it. After a change of people the office must be restarted.',
  ],
  owner_only: [
    'owner_only',
    'Only owners may do this. Your key has the role of investigator at this office.',
  ],
  payment_held: [
    'order_waits',
    'The provider has not said yet whether this order was refunded, so it stays on hold. Try again in a minute.',
  ],
  registration_state: [
    'refused',
    'This is not possible in the agent’s current state: another owner has decided in the meantime, or your choice does not fit its redirect addresses.',
  ],
  case_unknown: ['case_unknown', 'There is no such case; it may have been purged.'],
  case_purged: ['case_unknown', 'This case was purged; nothing of it is left.'],
  case_held: ['case_held', 'A colleague has this case. Reassign it to yourself first.'],
  case_changed: [
    'case_changed',
    'The case has changed since you opened it, so nothing was sent. Read what is new.',
  ],
  case_state: [
    'case_state',
    'This is no longer possible in the current state of the case. Open the case again.',
  ],
  not_sealed: [
    'refused',
    'The office refused the sealed data, so nothing was sent. Check that desk and office have the same version.',
  ],
  upload_incomplete: [
    'refused',
    'A file did not reach the office completely, so nothing was delivered. Try again.',
  ],
  payload_too_large: ['refused', 'This is larger than the office accepts at once, so nothing was sent.'],
  sealing_keys_changing: ['refused', 'The list of people at the office is being changed. Try again later.'],
  sealing_keys_changed: ['refused', 'The people of the office have changed. Sign in again.'],
  sealing_set_changed: [
    'refused',
    'The keys of the office have changed since this run began: another owner has changed them, or the recipients file has changed. Check who is listed, and run it again.',
  ],
  rate_limited: ['refused', 'Too many requests in one minute. Wait a minute, then try again.'],
  overloaded: ['refused', RETRY],
  answer_timeout: [
    'refused',
    'The office took too long to answer. Your request may still have taken effect: check before you try again.',
  ],
  storage_unavailable: ['refused', RETRY],
  validation_failed: [
    'refused',
    'The office refused the request. Check that desk and office have the same version.',
  ],
};

/** Empty unless it is a problem document with a code; other fields are ignored. */
function readProblemCode({ mediaType, body }: OfficeAnswer): string {
  if (mediaType !== 'application/problem+json') return '';
  const value = parseBody(body);
  const code = typeof value === 'object' && value !== null ? readErrorCode(value) : '';
  return /^[a-z_]{1,60}$/.test(code) ? code : '';
}

function parseBody(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    throw createHostileFault('it is not valid JSON', error);
  }
}
