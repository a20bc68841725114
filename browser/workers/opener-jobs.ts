/** The jobs of the opener worker. */
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
  /** Labels with name and size. */
  readonly files: readonly string[];
}

/** The opened content of a case, ready to show. */
export interface CaseContentView {
  readonly inquiry: OpenedPart<readonly InquiryLine[]>;
  /** Oldest first. */
  readonly thread: readonly ThreadMessage[];
  readonly finding: OpenedPart<FindingView> | null;
}

export interface BrowserCaseView extends CaseOverview, CaseContentView {}

/** The case after an action, whether it succeeded or was refused. */
export interface CaseActionResult {
  readonly opened: BrowserCaseView;
  /** Why the action was refused. */
  readonly refused: string | null;
}

export interface DownloadedFile {
  readonly name: string;
  readonly content: Blob;
}

/** All jobs but `open` need an open case. */
export type OpenerJobs = {
  readonly open: { readonly input: { readonly words: string }; readonly result: BrowserCaseView };
  /** If there are faults, nothing was sent. */
  readonly write: {
    readonly input: { readonly fields: readonly FormEntry[] };
    readonly result: CaseActionResult | { readonly faults: readonly FormFault[] };
  };
  readonly keep: { readonly input: { readonly days: number }; readonly result: CaseActionResult };
  readonly withdraw: { readonly input: null; readonly result: CaseActionResult };
  readonly purge: { readonly input: null; readonly result: null };
  /** Downloads a file of the finding, by its number. */
  readonly save: { readonly input: { readonly seq: number }; readonly result: DownloadedFile };
};
