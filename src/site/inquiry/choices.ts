/** The choices of the form that are stored unsealed: the retention and the version of the terms. */
import { DEFAULT_KEEP_DAYS, type KeepDays } from '#cases/ending/retention.ts';
import type { FormFields } from '#seal/form/form-fields.ts';
import { KEEP_DAYS_CONTROL } from '#seal/form/inquiry-sections.ts';
import { INQUIRY_HIDDEN_FIELDS } from '#wire/inquiry-page.ts';
import { KEEP_DAYS } from '#wire/keep-days.ts';

export interface InquiryChoices {
  readonly keepDays: KeepDays;
  readonly termsVersion: string;
}

/** A value that the form does not offer counts as the default, the shortest retention. */
export function parseInquiryChoices(fields: FormFields): InquiryChoices {
  const keepDays = KEEP_DAYS.find((days) => String(days) === fields.get(KEEP_DAYS_CONTROL));
  return {
    keepDays: keepDays ?? DEFAULT_KEEP_DAYS,
    termsVersion: fields.get(INQUIRY_HIDDEN_FIELDS.termsVersion) ?? '',
  };
}
