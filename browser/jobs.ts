/** What a page may ask of the sealer, and what it answers: the whole traffic between the two. */
import type { FormFault } from '#seal/form-fields.ts';
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

/** What the service itself knows of a case. */
export interface CaseView {
  readonly title: string;
  readonly clock: string;
  readonly sentences: readonly string[];
  readonly rows: readonly { readonly label: string; readonly value: string }[];
  readonly keep_days: number;
  /** What the buyer may do now. */
  readonly may: Readonly<Record<'write' | 'call' | 'keep' | 'withdraw' | 'purge', boolean>>;
}

/** Opened, or the sentence that says why not. */
export type Part<Content> = { readonly content: Content } | { readonly unreadable: string };

export type Writer = 'buyer' | 'desk';

export interface Written {
  readonly by: Writer;
  readonly at: string;
  readonly said: Part<string>;
}

export interface ShownFinding {
  readonly text: string;
  /** Name and size of each. */
  readonly files: readonly string[];
}

/** What only the words can open. */
export interface CaseContent {
  readonly inquiry: Part<readonly InquiryLine[]>;
  /** Oldest first. */
  readonly thread: readonly Written[];
  readonly finding: Part<ShownFinding> | null;
}

export interface OpenedCase extends CaseView, CaseContent {}

/** The case after something was done to it, or was not. */
export interface Acted {
  readonly opened: OpenedCase;
  /** Why it was not done. */
  readonly refused: string | null;
}

export interface SavedFile {
  readonly name: string;
  readonly content: Blob;
}

export interface Jobs {
  /** Makes the twelve words, and the key, of the case that this page will open. */
  readonly words: { readonly input: Holders; readonly answer: string };
  readonly check: { readonly input: InquiryForm; readonly answer: readonly FormFault[] };
  readonly send: { readonly input: InquiryForm; readonly answer: SentInquiry };
  readonly open: { readonly input: { readonly words: string }; readonly answer: OpenedCase };
  /** The following are about the case that was opened. Nothing was sent where it answers with faults. */
  readonly write: {
    readonly input: { readonly fields: readonly Field[] };
    readonly answer: Acted | { readonly faults: readonly FormFault[] };
  };
  readonly keep: { readonly input: { readonly days: number }; readonly answer: Acted };
  readonly withdraw: { readonly input: null; readonly answer: Acted };
  readonly purge: { readonly input: null; readonly answer: null };
  /** A file of the finding, by its place. */
  readonly save: { readonly input: { readonly seq: number }; readonly answer: SavedFile };
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
