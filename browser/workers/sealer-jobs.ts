/** The jobs of the sealer worker. */
import type { FilesToInspect, FileVerdict } from '#browser/files/inspect-files.ts';
import type { FormEntry } from '#browser/rpc/jobs.ts';
import type { CaseKeyRecipients } from '#seal/core/case-key.ts';
import type { FormFault } from '#seal/form/form-fields.ts';
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
  readonly recipientSet: string;
}

/** The keys that the page names, and what tells them from any others. */
export interface PageSealingKeys extends CaseKeyRecipients {
  readonly set: string;
}

export type SealerJobs = {
  /** Generates the words, unless a draft has some, and the key of the new case. */
  readonly words: {
    readonly input: PageSealingKeys & { readonly previous?: string | undefined };
    readonly result: string;
  };
  readonly inspect: { readonly input: FilesToInspect; readonly result: readonly FileVerdict[] };
  readonly check: { readonly input: InquiryFormInput; readonly result: readonly FormFault[] };
  readonly send: { readonly input: InquiryFormInput; readonly result: SentInquiry };
  /** Returns the lookup token, which finds the case but opens nothing. */
  readonly lookup: { readonly input: { readonly words: string }; readonly result: string };
  /** If there are faults, nothing was sent. */
  readonly contact: { readonly input: ContactFormInput; readonly result: readonly FormFault[] };
};
