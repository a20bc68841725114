/** The finding `finding.v1`: what the investigators found, as Markdown, as files, or both. */
import { createAttachedFileRule } from './attached-file.ts';
import type { FieldError } from './fields.ts';
import { createListRule, createRecordRule, createTextRule, type RuleValue } from './fields.ts';

export const MAX_FINDING_FILES = 50;
export const MAX_FINDING_FILE_BYTES = 100 * 1024 * 1024;
const MAX_FINDING_BYTES = 100 * 1024 * 1024;

/** Even in characters that JSON writes with six, this fits into the largest envelope. */
const MAX_TEXT = 40_000;

const finding = createRecordRule({
  markdown: createTextRule({ max: MAX_TEXT }),
  /** The file at place n is sealed as `finding-file.v1` with `seq` n. */
  files: createListRule(
    createAttachedFileRule(MAX_FINDING_FILE_BYTES, 'A file may have at most 100 MiB'),
    MAX_FINDING_FILES,
    'Attach at most 50 files',
  ),
});

export type Finding = RuleValue<typeof finding>;

export type FindingValidation = { readonly finding: Finding } | { readonly errors: readonly FieldError[] };

export function validateFinding(value: unknown): FindingValidation {
  const errors: FieldError[] = [];
  const read = finding(value, '', errors);
  if (errors.length === 0 && read) {
    if (read.markdown.trim() === '' && read.files.length === 0)
      errors.push({ pointer: '/markdown', detail: 'Write the finding, or attach it as a file' });
    if (read.files.reduce((sum, { size }) => sum + size, 0) > MAX_FINDING_BYTES)
      errors.push({ pointer: '/files', detail: 'All files together may have at most 100 MiB' });
  }
  return read && errors.length === 0 ? { finding: read } : { errors };
}
