/** What a page may ask of the sealer, and what it answers. */
import type { FormEntry } from '#browser/rpc/jobs.ts';
import type { CaseKeyHolders } from '#seal/case-key.ts';
import type { FormFault } from '#seal/form-fields.ts';
import type { SentInquiry } from '#wire/inquiry-requests.ts';

export interface InquiryFormInput {
  readonly fields: readonly FormEntry[];
  readonly files: readonly File[];
  readonly paymentRef: string;
  readonly includesCall: boolean;
}

export interface ContactFormInput {
  readonly fields: readonly FormEntry[];
  readonly desk: readonly string[];
}

export type SealerJobs = {
  /** Makes the twelve words, and the key, of the case that this page will open. */
  readonly words: { readonly input: CaseKeyHolders; readonly answer: string };
  readonly check: { readonly input: InquiryFormInput; readonly answer: readonly FormFault[] };
  readonly send: { readonly input: InquiryFormInput; readonly answer: SentInquiry };
  /** What finds the case of the words, and opens nothing. */
  readonly lookup: { readonly input: { readonly words: string }; readonly answer: string };
  /** Nothing was sent where it answers with faults. */
  readonly contact: { readonly input: ContactFormInput; readonly answer: readonly FormFault[] };
};
