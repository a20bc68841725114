/** The inputs and results of the jobs of the opener worker. */
import type { UserFacingErrorData } from '#browser/rpc/fault.ts';
import type { FormEntry } from '#browser/rpc/jobs.ts';
import type { ShownTime } from '#language/timed-text.ts';
import type { CallPlan } from '#seal/case/call-plan.ts';
import type { CaseFile } from '#seal/case/case-files.ts';
import type { MarkdownNode } from '#seal/case/markdown.ts';
import type { CaseActor, CaseMessage } from '#seal/case/message.ts';
import type { MessageLink } from '#seal/case/thread.ts';
import type { UnsaidText } from '#seal/core/unsaid-text.ts';
import type { InquiryLine } from '#seal/form/inquiry-text.ts';
import type { CaseOverview } from '#wire/case-requests.ts';

/** The opened content, or the text to show instead. */
export type ShownPart<Content> = { readonly content: Content } | { readonly said: UnsaidText };

/** A message, or a place where some are missing. */
export interface ThreadMessage {
  readonly by: CaseActor;
  readonly link: MessageLink | 'missing';
  readonly at: ShownTime | null;
  /** The files that the buyer sent with it. */
  readonly files: readonly CaseFile[];
  readonly said: ShownPart<CaseMessage>;
  /** A remark about its place in the conversation; may be empty. */
  readonly mark: UnsaidText;
}

export interface FindingView {
  readonly document: readonly MarkdownNode[];
  readonly files: readonly CaseFile[];
}

/** The opened content of a case, ready to show. */
export interface CaseContentView {
  readonly inquiry: ShownPart<readonly InquiryLine[]>;
  /** The files that the buyer sent with it. */
  readonly inquiryFiles: readonly CaseFile[];
  /** Oldest first. */
  readonly thread: readonly ThreadMessage[];
  /** The number of the desk's messages in `thread`: what a message written below it may claim as seen. */
  readonly seen: number;
  readonly finding: ShownPart<FindingView> | null;
}

export interface BrowserCaseView extends CaseOverview, CaseContentView {
  readonly call: CallPlan;
  /** Where the service's data differs from what the desk has sealed. */
  readonly differences: readonly UnsaidText[];
  /** The fingerprint of the case key; null if the key cannot be read. */
  readonly fingerprint: string | null;
}

/** An action with a form of its own, and what its request has besides the case. */
export type CaseAct =
  | { readonly form: 'keep'; readonly keep_days: number }
  | { readonly form: 'notify'; readonly address: string }
  | { readonly form: 'silence' | 'withdraw' };

/** The case after an action, whether it succeeded or was refused. */
export interface CaseActionResult {
  readonly opened: BrowserCaseView;
  /** Why the action was refused. */
  readonly refused: UserFacingErrorData | null;
}

export interface DownloadedFile {
  readonly name: string;
  readonly content: Blob;
}

/** A file of the case, and the folder that it is put into. */
export interface ArchiveFile extends CaseFile {
  readonly folder: string;
}

interface ArchiveText {
  readonly name: string;
  readonly text: string;
}

/** The page supplies all text for people, because the worker has no catalogue. */
export interface ArchiveRequest {
  readonly texts: readonly ArchiveText[];
  readonly files: readonly ArchiveFile[];
  /** Added if some files cannot be opened, followed by their names. */
  readonly damagedNote: ArchiveText;
}

export interface CaseArchive {
  readonly content: Blob;
  readonly isComplete: boolean;
}

export interface MessageInput {
  readonly fields: readonly FormEntry[];
  readonly files: readonly File[];
  readonly seen: number;
}
