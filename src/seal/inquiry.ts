/** The inquiry `inquiry.v1`: what a buyer tells, checked by the same rules in the browser, the form and the API. */
import { callWindowsRule, checkCallWindowOrder } from './call-window.ts';
import { isCountryCode } from './countries.ts';
import {
  createChoiceRule,
  createListRule,
  createRecordRule,
  createTextRule,
  createTrueRule,
  type FieldError,
  type RuleValue,
} from './fields.ts';
import { checkInquiryFilesTotal, inquiryFilesRule } from './inquiry-files.ts';

const MAX_IDENTIFIERS = 50;

const contact = createRecordRule({
  mode: createChoiceRule(
    ['return_only', 'email', 'phone', 'signal', 'other'],
    'Choose how we may reach you',
    'return_only',
  ),
  value: createTextRule({ max: 254 }),
  safe_times: createTextRule({ max: 200 }),
});

const inquiry = createRecordRule({
  payment_ref: createTextRule({
    min: 1,
    max: 255,
    missing: 'The payment is missing; come back to this page from the checkout',
    allows: (reference) => /^[\x21-\x7e]*$/.test(reference),
    refused: 'This is not a payment reference',
  }),
  alias: createTextRule({
    min: 1,
    max: 80,
    missing: 'Write a name we may call you by; it need not be your own',
  }),
  question: createTextRule({
    min: 20,
    max: 4000,
    missing: 'Write at least 20 characters, so that we understand the question',
  }),
  subject: createTextRule({ min: 1, max: 300, missing: 'Write who or what the inquiry is about' }),
  identifiers: createListRule(
    createTextRule({ min: 1, max: 512, missing: 'Write a name, number or address, or remove the line' }),
    MAX_IDENTIFIERS,
    'Give at most 50 identifiers',
  ),
  background: createTextRule({ max: 4000 }),
  jurisdiction: createTextRule({
    min: 1,
    max: 64,
    missing: 'Choose the country whose law applies to you',
    allows: isCountryCode,
    refused: 'Choose a country by its two capital letters, such as FR',
  }),
  safety_risk: createChoiceRule(['none', 'possible', 'immediate'], 'Say whether somebody is in danger'),
  subject_is_protected: createChoiceRule(
    ['no', 'yes', 'unsure'],
    'Say whether the subject is a minor, a partner, or protected by a court',
  ),
  contact,
  call_windows: callWindowsRule,
  lawful_purpose: createTrueRule('Confirm that the purpose is lawful; without it we cannot begin'),
  files: inquiryFilesRule,
});

export type Inquiry = RuleValue<typeof inquiry>;

export type InquiryValidation = { readonly inquiry: Inquiry } | { readonly errors: readonly FieldError[] };

/** Takes what was typed or posted; what is left out and may be is filled in. */
export function validateInquiry(value: unknown, tier: { readonly includesCall: boolean }): InquiryValidation {
  const errors: FieldError[] = [];
  const read = inquiry(value, '', errors);
  // A part that its own rule refused has nothing left to compare.
  if (read?.contact) checkContact(read.contact, errors);
  if (read?.call_windows) checkCallWindows(read.call_windows, tier.includesCall, errors);
  if (read?.files) checkInquiryFilesTotal(read.files, errors);
  return read && errors.length === 0 ? { inquiry: read } : { errors };
}

/** The identifiers of a text with one on each line. */
export function parseIdentifiers(lines: string): readonly string[] {
  return lines
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function checkContact({ mode, value }: Inquiry['contact'], errors: FieldError[]): void {
  const pointer = '/contact/value';
  if (mode === undefined || value === undefined) return;
  const given = value.trim() !== '';
  // An address that nobody said is safe must not be kept, let alone used.
  if (mode === 'return_only' && given)
    errors.push({
      pointer,
      detail: 'Choose how we may use this, or leave it empty and come back with your words',
    });
  if (mode !== 'return_only' && !given)
    errors.push({ pointer, detail: 'Write where we may reach you, or choose to come back with your words' });
  if (mode === 'email' && given && !/^[^\s@]+@[^\s@]+$/.test(value.trim()))
    errors.push({ pointer, detail: 'Write an e-mail address such as name@example.org' });
}

function checkCallWindows(
  windows: Inquiry['call_windows'],
  includesCall: boolean,
  errors: FieldError[],
): void {
  if (!includesCall && windows.length > 0)
    errors.push({ pointer: '/call_windows', detail: 'Only Dossier includes a call; leave the times out' });
  checkCallWindowOrder(windows, errors);
}
