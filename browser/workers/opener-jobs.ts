/** What the case page may ask of the opener, and what it answers. */
import type { FormEntry } from '#browser/rpc/jobs.ts';
import type { OpenedMessage, OpenedPart } from '#seal/case-content.ts';
import type { FormFault } from '#seal/form-fields.ts';
import type { InquiryLine } from '#seal/inquiry-text.ts';
import type { MarkdownNode } from '#seal/markdown.ts';
import type { CaseOverview } from '#wire/case-requests.ts';

export interface ThreadMessage extends Pick<OpenedMessage<string>, 'by' | 'at'> {
  readonly said: OpenedPart<string>;
}

export interface FindingView {
  readonly document: readonly MarkdownNode[];
  /** Name and size of each. */
  readonly files: readonly string[];
}

/** What only the words can open, in words. */
export interface CaseContentView {
  readonly inquiry: OpenedPart<readonly InquiryLine[]>;
  /** Oldest first. */
  readonly thread: readonly ThreadMessage[];
  readonly finding: OpenedPart<FindingView> | null;
}

export interface BrowserCaseView extends CaseOverview, CaseContentView {}

/** The case after something was done to it, or was not. */
export interface CaseActionResult {
  readonly opened: BrowserCaseView;
  /** Why it was not done. */
  readonly refused: string | null;
}

export interface DownloadedFile {
  readonly name: string;
  readonly content: Blob;
}

/** All but the first are about the case that was opened. */
export type OpenerJobs = {
  readonly open: { readonly input: { readonly words: string }; readonly answer: BrowserCaseView };
  /** Nothing was sent where it answers with faults. */
  readonly write: {
    readonly input: { readonly fields: readonly FormEntry[] };
    readonly answer: CaseActionResult | { readonly faults: readonly FormFault[] };
  };
  readonly keep: { readonly input: { readonly days: number }; readonly answer: CaseActionResult };
  readonly withdraw: { readonly input: null; readonly answer: CaseActionResult };
  readonly purge: { readonly input: null; readonly answer: null };
  /** A file of the finding, by its place. */
  readonly save: { readonly input: { readonly seq: number }; readonly answer: DownloadedFile };
};
