/** The inquiry `inquiry.v1`: what a buyer tells, checked by the same rules in the browser, the form and the API. */
import { isCountryCode } from './countries.ts';
import {
  choice,
  type FieldError,
  list,
  mustBeTrue,
  record,
  text,
  type ValueOf,
  wholeNumber,
  yesOrNo,
} from './fields.ts';

export const MAX_FILES = 10;
export const MAX_FILE_BYTES = 25 * 1024 * 1024;
export const MAX_FILES_BYTES = 100 * 1024 * 1024;
const MAX_IDENTIFIERS = 50;
const MAX_CALL_WINDOWS = 5;
const WALL_TIME = 'Write date and time as 2026-12-31T14:30';

const contact = record({
  mode: choice(
    ['return_only', 'email', 'phone', 'signal', 'other'],
    'Choose how we may reach you',
    'return_only',
  ),
  value: text({ max: 254 }),
  safe_times: text({ max: 200 }),
});

/** Times as a clock on the wall in `zone` shows them. */
const callWindow = record({
  start: text({
    min: 1,
    max: 64,
    missing: 'Say when the call may begin',
    allows: isWallTime,
    refused: WALL_TIME,
  }),
  end: text({
    min: 1,
    max: 64,
    missing: 'Say when the call must end',
    allows: isWallTime,
    refused: WALL_TIME,
  }),
  zone: text({
    min: 1,
    max: 64,
    missing: 'Choose the time zone',
    allows: isTimeZone,
    refused: 'Choose a time zone such as Europe/Paris',
  }),
});

/** The file at place n is sealed as `inquiry-file.v1` with `seq` n. */
const file = record({
  name: text({
    min: 1,
    max: 255,
    missing: 'Give the file a name',
    allows: isFileName,
    refused: 'Give the file a name without slashes',
  }),
  mime: text({
    max: 127,
    allows: (mime) => /^[\x20-\x7e]*$/.test(mime),
    refused: 'Give a type such as image/jpeg',
  }),
  size: wholeNumber(MAX_FILE_BYTES, 'A file may have at most 25 MiB'),
  /** True where the buyer asked to leave the hidden data of a picture in it. */
  kept_as_evidence: yesOrNo(),
});

const inquiry = record({
  payment_ref: text({
    min: 1,
    max: 255,
    missing: 'The payment is missing; come back to this page from the checkout',
    allows: (reference) => /^[\x21-\x7e]*$/.test(reference),
    refused: 'This is not a payment reference',
  }),
  alias: text({ min: 1, max: 80, missing: 'Write a name we may call you by; it need not be your own' }),
  question: text({
    min: 20,
    max: 4000,
    missing: 'Write at least 20 characters, so that we understand the question',
  }),
  subject: text({ min: 1, max: 300, missing: 'Write who or what the inquiry is about' }),
  identifiers: list(
    text({ min: 1, max: 512, missing: 'Write a name, number or address, or remove the line' }),
    MAX_IDENTIFIERS,
    'Give at most 50 identifiers',
  ),
  background: text({ max: 4000 }),
  jurisdiction: text({
    min: 1,
    max: 64,
    missing: 'Choose the country whose law applies to you',
    allows: isCountryCode,
    refused: 'Choose a country by its two capital letters, such as FR',
  }),
  safety_risk: choice(['none', 'possible', 'immediate'], 'Say whether somebody is in danger'),
  subject_is_protected: choice(
    ['no', 'yes', 'unsure'],
    'Say whether the subject is a minor, a partner, or protected by a court',
  ),
  contact,
  call_windows: list(callWindow, MAX_CALL_WINDOWS, 'Give at most 5 times for the call'),
  lawful_purpose: mustBeTrue('Confirm that the purpose is lawful; without it we cannot begin'),
  files: list(file, MAX_FILES, 'Attach at most 10 files'),
});

export type Inquiry = ValueOf<typeof inquiry>;

export type CheckedInquiry = { readonly inquiry: Inquiry } | { readonly errors: readonly FieldError[] };

/** Takes what was typed or posted; what is left out and may be is filled in. */
export function validateInquiry(value: unknown, tier: { readonly includesCall: boolean }): CheckedInquiry {
  const errors: FieldError[] = [];
  const read = inquiry(value, '', errors);
  // A part that its own rule refused has nothing left to compare.
  if (read?.contact) checkContact(read.contact, errors);
  if (read?.call_windows) checkCallWindows(read.call_windows, tier.includesCall, errors);
  if (read?.files) checkFiles(read.files, errors);
  return read && errors.length === 0 ? { inquiry: read } : { errors };
}

/** The identifiers of a text with one on each line. */
export function identifiersOf(lines: string): readonly string[] {
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
  for (const [index, window] of windows.entries()) {
    if (!window?.start || !window.end || window.start < window.end) continue;
    errors.push({ pointer: `/call_windows/${index}/end`, detail: 'The call must end after it begins' });
  }
}

function checkFiles(files: Inquiry['files'], errors: FieldError[]): void {
  const total = files.reduce((sum, entry) => sum + (entry?.size ?? 0), 0);
  if (total > MAX_FILES_BYTES)
    errors.push({ pointer: '/files', detail: 'All files together may have at most 100 MiB' });
}

function isWallTime(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(value)) return false;
  const time = new Date(`${value}:00.000Z`);
  // A date such as 31 February would otherwise roll over into March.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value);
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function isFileName(value: string): boolean {
  return !/[/\\\p{Cc}]/u.test(value);
}
