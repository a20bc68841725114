/** What the case page may ask of the opener, and what it answers. */
import type { Field } from '#browser/rpc/jobs.ts';
import type { FormFault } from '#seal/form-fields.ts';
import type { InquiryLine } from '#seal/inquiry-text.ts';
import type { Node } from '#seal/markdown.ts';

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
  readonly document: readonly Node[];
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

/** All but the first are about the case that was opened. */
export type OpenerJobs = {
  readonly open: { readonly input: { readonly words: string }; readonly answer: OpenedCase };
  /** Nothing was sent where it answers with faults. */
  readonly write: {
    readonly input: { readonly fields: readonly Field[] };
    readonly answer: Acted | { readonly faults: readonly FormFault[] };
  };
  readonly keep: { readonly input: { readonly days: number }; readonly answer: Acted };
  readonly withdraw: { readonly input: null; readonly answer: Acted };
  readonly purge: { readonly input: null; readonly answer: null };
  /** A file of the finding, by its place. */
  readonly save: { readonly input: { readonly seq: number }; readonly answer: SavedFile };
};
