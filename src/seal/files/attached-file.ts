/** The facts about an attached file: name, type, size and whether its metadata is kept. */
import {
  booleanRule,
  createIntegerRule,
  createRecordRule,
  createTextRule,
  type FieldRule,
} from '../form/field-rules.ts';

export const MAX_FILE_NAME_LENGTH = 255;
export const MAX_FILE_TYPE_LENGTH = 127;
const MIB = 1024 * 1024;

export interface AttachedFileFacts {
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  /** True if the sender asked to keep the metadata of images. */
  readonly kept_as_evidence: boolean;
}

export function createAttachedFileRule(maxBytes: number): FieldRule<AttachedFileFacts> {
  return createRecordRule({
    name: createTextRule({ min: 1, max: MAX_FILE_NAME_LENGTH, allows: isFileName }),
    mime: createTextRule({ max: MAX_FILE_TYPE_LENGTH, allows: (mime) => /^[\x20-\x7e]*$/.test(mime) }),
    size: createIntegerRule(maxBytes, maxBytes / MIB),
    kept_as_evidence: booleanRule,
  });
}

export function isFileName(value: string): boolean {
  return value.isWellFormed() && !/[/\\\p{Cc}]/u.test(value);
}
