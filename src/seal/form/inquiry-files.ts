/** Limits for the number and size of the files of an inquiry. */
import { type AttachedFileFacts, createAttachedFileRule } from '../files/attached-file.ts';
import { createFieldError, createListRule, type FieldError } from './field-rules.ts';

const MIB = 1024 * 1024;

export const MAX_INQUIRY_FILES = 10;
/** Pages call this unit MB, in limits and sizes alike; texts for programs call it MiB. */
export const MAX_INQUIRY_FILE_MIB = 25;
export const MAX_INQUIRY_TOTAL_MIB = 100;
export const MAX_INQUIRY_FILE_BYTES = MAX_INQUIRY_FILE_MIB * MIB;
export const MAX_INQUIRY_TOTAL_BYTES = MAX_INQUIRY_TOTAL_MIB * MIB;

/** The limits that the hint states. */
export const FILE_LIMITS = {
  files: MAX_INQUIRY_FILES,
  each: MAX_INQUIRY_FILE_MIB,
  total: MAX_INQUIRY_TOTAL_MIB,
} as const;

/** The file at index n is sealed as `inquiry-file.v1` with `seq` n. */
export const inquiryFilesRule = createListRule(
  createAttachedFileRule(MAX_INQUIRY_FILE_BYTES),
  MAX_INQUIRY_FILES,
);

/** Skips files that failed their own rule. */
export function checkInquiryFilesTotal(
  files: readonly (AttachedFileFacts | undefined)[],
  errors: FieldError[],
): void {
  const total = files.reduce((sum, file) => sum + (file?.size ?? 0), 0);
  if (total <= MAX_INQUIRY_TOTAL_BYTES) return;
  errors.push(createFieldError('/files', 'too_large', { max: MAX_INQUIRY_TOTAL_MIB }));
}
