/** What a page may ask of the sealer, and what it answers. */
import type { Field } from '#browser/rpc/jobs.ts';
import type { FormFault } from '#seal/form-fields.ts';

export interface InquiryForm {
  readonly fields: readonly Field[];
  readonly files: readonly File[];
  readonly paymentRef: string;
  readonly includesCall: boolean;
}

/** Who can open the case besides the words. */
export interface Holders {
  readonly desk: readonly string[];
  readonly recovery: string;
}

export interface ContactForm {
  readonly fields: readonly Field[];
  readonly desk: readonly string[];
}

export interface SentInquiry {
  /** When the finding is due, in words. */
  readonly due: string;
}

export type SealerJobs = {
  /** Makes the twelve words, and the key, of the case that this page will open. */
  readonly words: { readonly input: Holders; readonly answer: string };
  readonly check: { readonly input: InquiryForm; readonly answer: readonly FormFault[] };
  readonly send: { readonly input: InquiryForm; readonly answer: SentInquiry };
  /** What finds the case of the words, and opens nothing. */
  readonly lookup: { readonly input: { readonly words: string }; readonly answer: string };
  /** Nothing was sent where it answers with faults. */
  readonly contact: { readonly input: ContactForm; readonly answer: readonly FormFault[] };
};
