/** What a sender chooses in clear: how long the file is kept, and under which rules it was sent. */
import { DEFAULT_KEEP_DAYS, KEEP_DAYS, type KeepDays } from '#cases/retention.ts';
import { TERMS_VERSION } from '#cases/terms.ts';
import type { FormFields } from '#seal/form-fields.ts';
import { KEEP_DAYS_CONTROL } from '#seal/inquiry-sections.ts';

export interface InquiryChoices {
  readonly keepDays: KeepDays;
  readonly termsVersion: string;
}

/** Anything else than what the form offers is taken for what the form suggests: the earliest end. */
export function parseInquiryChoices(fields: FormFields): InquiryChoices {
  const chosen = KEEP_DAYS.find((days) => String(days) === fields.get(KEEP_DAYS_CONTROL));
  return { keepDays: chosen ?? DEFAULT_KEEP_DAYS, termsVersion: TERMS_VERSION };
}
