/** The finding `finding.v1`: the investigators' answer, as Markdown, files or both. */
import { createAttachedFileRule } from '../files/attached-file.ts';
import {
  type Checked,
  createFieldError,
  createIntegerRule,
  createListRule,
  createRecordRule,
  createTextRule,
  type FieldError,
  type RuleValue,
} from '../form/field-rules.ts';

export const MAX_FINDING_FILES = 50;
/** The first finding has number 0; each one that is taken back uses up a number. */
export const MAX_FINDINGS = 20;
const MIB = 1024 * 1024;
export const MAX_FINDING_FILE_BYTES = 100 * MIB;
export const MAX_FINDING_BYTES = 100 * MIB;

/** Fits in the largest envelope even if JSON escapes every character to six bytes. */
export const MAX_FINDING_CHARACTERS = 40_000;

const findingRule = createRecordRule({
  markdown: createTextRule({ max: MAX_FINDING_CHARACTERS }),
  /** See `toFindingFileSeq` for the place of each. */
  files: createListRule(createAttachedFileRule(MAX_FINDING_FILE_BYTES), MAX_FINDING_FILES),
});

/**
 * What a message of the desk says about findings: how many valid ones the buyer can read at that time, and how many
 * were taken back. The number of a finding is how many were taken back before it.
 */
export const findingsClaimRule = createRecordRule({
  valid: createIntegerRule(1),
  taken_back: createIntegerRule(MAX_FINDINGS),
});

/** Files of different findings never have the same place, so that none can be passed off as another. */
export function toFindingFileSeq(findingSeq: number, index: number): number {
  return findingSeq * MAX_FINDING_FILES + index;
}

export type Finding = RuleValue<typeof findingRule>;

export function validateFinding(value: unknown): Checked<'finding', Finding> {
  const errors: FieldError[] = [];
  const finding = findingRule(value, '', errors);
  if (errors.length === 0 && finding) {
    if (finding.markdown.trim() === '' && finding.files.length === 0)
      errors.push(createFieldError('/markdown', 'missing'));
    if (finding.files.reduce((sum, { size }) => sum + size, 0) > MAX_FINDING_BYTES)
      errors.push(createFieldError('/files', 'too_large', { max: MAX_FINDING_BYTES / MIB }));
  }
  return finding && errors.length === 0 ? { finding } : { errors };
}
