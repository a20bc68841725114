/** What a sender chooses in clear: how long the file is kept, and under which rules it was sent. */
import type { FormFields } from '#seal/inquiry-form.ts';
import type { KeepDays } from '#store/tables.ts';

/** The rules that a sender agrees to; a change of them gets a new name. */
export const TERMS_VERSION = '2026-11';

export const keepDays = [30, 90, 180, 365] as const satisfies readonly KeepDays[];

export interface Choices {
  readonly keepDays: KeepDays;
  readonly termsVersion: string;
}

/** Anything else than what the form offers is taken for what the form suggests: the earliest end. */
export function choicesIn(fields: FormFields): Choices {
  const chosen = keepDays.find((days) => String(days) === fields.get('keep_days'));
  return { keepDays: chosen ?? keepDays[0], termsVersion: TERMS_VERSION };
}
