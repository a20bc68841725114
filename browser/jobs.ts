/** What a page may ask of the sealer, and what it answers: the whole traffic between the two. */
import type { FormFault } from '#seal/inquiry-form.ts';
import type { InquiryLine } from '#seal/inquiry-text.ts';
import type { FaultFacts } from './fault.ts';

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

export type Field = readonly [name: string, value: string];

export interface SentInquiry {
  /** When the finding is due, in words. */
  readonly due: string;
}

/** What the service tells of a case, with what only its words can open. */
export interface OpenedCase {
  readonly title: string;
  readonly clock: string;
  readonly sentences: readonly string[];
  readonly rows: readonly { readonly label: string; readonly value: string }[];
  readonly inquiry: readonly InquiryLine[];
  /** Why the inquiry cannot be shown. */
  readonly unreadable: string | null;
}

export interface Jobs {
  /** Makes the twelve words, and the key, of the case that this page will open. */
  readonly words: { readonly input: Holders; readonly answer: string };
  readonly check: { readonly input: InquiryForm; readonly answer: readonly FormFault[] };
  readonly send: { readonly input: InquiryForm; readonly answer: SentInquiry };
  readonly open: { readonly input: { readonly words: string }; readonly answer: OpenedCase };
  /** What finds the case of the words, and opens nothing. */
  readonly lookup: { readonly input: { readonly words: string }; readonly answer: string };
  /** Nothing was sent where it answers with faults. */
  readonly contact: { readonly input: ContactForm; readonly answer: readonly FormFault[] };
}

export type JobName = keyof Jobs;

export type Request = {
  readonly [Name in JobName]: {
    readonly id: number;
    readonly job: Name;
    readonly input: Jobs[Name]['input'];
  };
}[JobName];

/** The first message says whether this browser can seal; each later one belongs to the request with its id. */
export type Message =
  | { readonly ready: boolean }
  | { readonly id: number; readonly progress: number }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly fault: FaultFacts };

/** From 0 to 1. */
export type Progress = (share: number) => void;
