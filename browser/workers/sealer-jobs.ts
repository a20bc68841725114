/** The inputs of the jobs of the sealer worker. */
import type { FormEntry } from '#browser/rpc/jobs.ts';
import type { CaseKeyRecipients } from '#seal/core/case-key.ts';

export interface InquiryFormInput {
  readonly fields: readonly FormEntry[];
  readonly files: readonly File[];
  readonly paymentRef: string;
  readonly includesCall: boolean;
}

export interface ContactFormInput {
  readonly fields: readonly FormEntry[];
  readonly desk: readonly string[];
  readonly recipientSet: string;
}

/** The keys that the page names, and the id of their set. */
export interface PageSealingKeys extends CaseKeyRecipients {
  readonly set: string;
}

export type WordsInput = PageSealingKeys & { readonly previous?: string | undefined };

export interface EnteredWords {
  readonly words: string;
}
