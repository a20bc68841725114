/** The choices of the form that are stored unsealed: the retention and the version of the terms. */
import { DEFAULT_KEEP_DAYS, KEEP_DAYS, type KeepDays } from '#cases/retention.ts';
import { TERMS_VERSION } from '#cases/terms.ts';
import type { FormFields } from '#seal/form-fields.ts';
import { KEEP_DAYS_CONTROL } from '#seal/inquiry-sections.ts';

export interface InquiryChoices {
  readonly keepDays: KeepDays;
  readonly termsVersion: string;
}

/** A value that the form does not offer counts as the default, the shortest retention. */
export function parseInquiryChoices(fields: FormFields): InquiryChoices {
  const keepDays = KEEP_DAYS.find((days) => String(days) === fields.get(KEEP_DAYS_CONTROL));
  return { keepDays: keepDays ?? DEFAULT_KEEP_DAYS, termsVersion: TERMS_VERSION };
}
