/** The files of an opened case: where each one is sealed, the facts listed about it, and its label. */

import type { SealedPlace } from '../core/envelope.ts';
import type { SealedFileKind } from '../core/header.ts';
import type { AttachedFileFacts } from '../files/attached-file.ts';
import type { Inquiry } from '../form/inquiry.ts';
import { MAX_INQUIRY_FILES } from '../form/inquiry-files.ts';
import { formatFileLabel } from '../form/inquiry-text.ts';
import type { OpenedObject } from './case-content.ts';
import { type Finding, MAX_FINDING_FILES, toFindingFileSeq } from './finding.ts';
import { type CaseMessage, messageKinds, toMessageFileSeq } from './message.ts';

export interface FilePlace extends SealedPlace {
  readonly kind: SealedFileKind;
}

export interface CaseFile extends AttachedFileFacts, FilePlace {
  /** Its name and size. */
  readonly label: string;
}

export function listInquiryFiles({ files }: Pick<Inquiry, 'files'>): CaseFile[] {
  return listFiles(files, 'inquiry-file.v1', (index) => index);
}

export function listMessageFiles({ files }: Pick<CaseMessage, 'files'>, messageSeq: number): CaseFile[] {
  return listFiles(files, 'buyer-message-file.v1', (index) => toMessageFileSeq(messageSeq, index));
}

export function listFindingFiles({ files }: Pick<Finding, 'files'>, findingSeq: number): CaseFile[] {
  return listFiles(files, 'finding-file.v1', (index) => toFindingFileSeq(findingSeq, index));
}

function listFiles(
  files: readonly AttachedFileFacts[],
  kind: SealedFileKind,
  toSeq: (index: number) => number,
): CaseFile[] {
  return files.map((file, index) => ({ ...file, kind, seq: toSeq(index), label: formatFileLabel(file) }));
}

/** The part of the case whose list names the file. */
export function toNamingPlace({ kind, seq }: FilePlace): SealedPlace {
  if (kind === 'inquiry-file.v1') return { kind: 'inquiry.v1', seq: 0 };
  return kind === 'finding-file.v1'
    ? { kind: 'finding.v1', seq: Math.floor(seq / MAX_FINDING_FILES) }
    : { kind: messageKinds.buyer, seq: Math.floor(seq / MAX_INQUIRY_FILES) };
}

/** The facts that this part lists about the file; null if the part cannot be read or does not list it. */
export function findNamedFile(
  part: OpenedObject<unknown>['part'] | undefined,
  { kind, seq }: FilePlace,
): AttachedFileFacts | null {
  if (!part || !('content' in part)) return null;
  const perPart = kind === 'finding-file.v1' ? MAX_FINDING_FILES : MAX_INQUIRY_FILES;
  return part.content.files[seq % perPart] ?? null;
}
