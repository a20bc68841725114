/** The inquiry `inquiry.v1`, validated by the same rules in the browser, the plain form and the API. */
import { callNumberRule, callWindowsRule, checkCallWindowOrder, checkSentCall } from '../case/call-window.ts';
import { isCountryCode } from './countries.ts';
import {
  type Checked,
  createChoiceRule,
  createFieldError,
  createListRule,
  createRecordRule,
  createTextRule,
  type FieldError,
  type FieldRule,
  trueRule,
} from './field-rules.ts';
import { findDefaultChoice, type InquiryFieldFacts, type InquiryFieldValue } from './inquiry-field-kinds.ts';
import { inquiryFields } from './inquiry-fields.ts';
import { checkInquiryFilesTotal, inquiryFilesRule } from './inquiry-files.ts';

export type Inquiry = InquiryFieldValue<{ readonly parts: typeof inquiryFields }>;

const inquiryRule = createPartsRule(inquiryFields) as FieldRule<Inquiry>;

interface InquiryContext {
  /** Whether the tier includes a call. */
  readonly includesCall: boolean;
  /** The time of sending; absent for sealed content, whose call times may have passed since. */
  readonly now?: number;
}

/** Fills in defaults for optional fields. */
export function validateInquiry(value: unknown, context: InquiryContext): Checked<'inquiry', Inquiry> {
  const errors: FieldError[] = [];
  const inquiry = inquiryRule(value, '', errors);
  // Parts that failed their own rule are undefined.
  if (inquiry?.contact) checkContact(inquiry.contact, errors);
  if (inquiry) checkCall(inquiry, context, errors);
  if (inquiry?.files) checkInquiryFilesTotal(inquiry.files, errors);
  return inquiry && errors.length === 0 ? { inquiry } : { errors };
}

function createPartsRule(parts: Readonly<Record<string, InquiryFieldFacts>>): FieldRule<unknown> {
  return createRecordRule(
    Object.fromEntries(Object.entries(parts).map(([name, field]) => [name, createFieldRule(field)])),
  );
}

function createFieldRule(field: InquiryFieldFacts): FieldRule<unknown> {
  switch (field.kind) {
    case 'line':
    case 'area':
      return createTextRule(field);
    case 'list':
      return createListRule(createTextRule({ ...field, min: 1 }), field.maxEntries);
    case 'choice':
      return createChoiceRule(
        field.options.map(({ value }) => value),
        findDefaultChoice(field),
      );
    case 'country':
      return createTextRule({ ...field, min: 1, allows: isCountryCode });
    case 'tick':
      return trueRule;
    case 'contact':
      return createPartsRule(field.parts);
    case 'call_number':
      return callNumberRule;
    case 'call_windows':
      return callWindowsRule;
    case 'files':
      return inquiryFilesRule;
    case 'payment':
      return createTextRule({ ...field, min: 1, allows: isPaymentReference });
  }
}

function isPaymentReference(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text);
}

function checkContact({ mode, value }: Inquiry['contact'], errors: FieldError[]): void {
  const pointer = '/contact/value';
  if (mode === undefined || value === undefined) return;
  const hasValue = value.trim() !== '';
  // An address without permission to use it must not be stored.
  if (mode === 'return_only' && hasValue) errors.push(createFieldError(pointer, 'unused'));
  if (mode !== 'return_only' && !hasValue) errors.push(createFieldError(pointer, 'missing'));
  if (mode === 'email' && hasValue && !/^[^\s@]+@[^\s@]+$/.test(value.trim()))
    errors.push(createFieldError(pointer, 'email'));
}

/** Parts that failed their own rule are undefined. */
function checkCall(
  inquiry: Partial<Inquiry>,
  { includesCall, now }: InquiryContext,
  errors: FieldError[],
): void {
  const { call_windows: windows, call_number: number } = inquiry;
  if (!includesCall && windows && windows.length > 0) errors.push(createFieldError('/call_windows', 'none'));
  if (!includesCall && number) errors.push(createFieldError('/call_number', 'none'));
  if (windows) checkCallWindowOrder(windows, errors);
  if (now !== undefined && includesCall) checkSentCall(inquiry, errors, now);
}
