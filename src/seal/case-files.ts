/** The files of an opened case: where each of them is sealed, and what readers call it. */
import type { Finding } from './finding.ts';
import { toFindingFileSeq } from './finding.ts';
import type { SealedFileKind } from './header.ts';
import type { Inquiry } from './inquiry.ts';
import { formatFileLabel } from './inquiry-text.ts';
import { type CaseMessage, toMessageFileSeq } from './message.ts';

export interface CaseFile {
  readonly kind: SealedFileKind;
  readonly seq: number;
  /** Its name and size. */
  readonly label: string;
}

export function listInquiryFiles({ files }: Pick<Inquiry, 'files'>): CaseFile[] {
  return files.map((file, seq) => ({ kind: 'inquiry-file.v1', seq, label: formatFileLabel(file) }));
}

export function listMessageFiles({ files }: Pick<CaseMessage, 'files'>, messageSeq: number): CaseFile[] {
  return files.map((file, index) => ({
    kind: 'buyer-message-file.v1',
    seq: toMessageFileSeq(messageSeq, index),
    label: formatFileLabel(file),
  }));
}

export function listFindingFiles({ files }: Pick<Finding, 'files'>, findingSeq: number): CaseFile[] {
  return files.map((file, index) => ({
    kind: 'finding-file.v1',
    seq: toFindingFileSeq(findingSeq, index),
    label: formatFileLabel(file),
  }));
}
