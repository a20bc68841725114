/** The number at which the buyer is called. */
import { createFieldError, createTextRule, type FieldError } from '../form/fields.ts';

export const MAX_CALL_NUMBER = 40;

/** A sealed number may be any short text; `checkCallNumber` checks a new one. */
export const callNumberRule = createTextRule({ max: MAX_CALL_NUMBER });

/** Digits as people write them; the longest number has 15 (ITU-T E.164 §6.2.1). */
function isCallNumber(text: string): boolean {
  const digits = text.replace(/[\s().-]/g, '');
  return /^\+?\d{5,15}$/.test(digits);
}

export function checkCallNumber(number: string, isNeeded: boolean, errors: FieldError[]): void {
  const pointer = '/call_number';
  if (number.trim() === '') {
    if (isNeeded) errors.push(createFieldError(pointer, 'missing'));
    return;
  }
  if (!isCallNumber(number)) errors.push(createFieldError(pointer, 'refused'));
}
