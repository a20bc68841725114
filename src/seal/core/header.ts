/** The first line of all sealed content: its kind, case and number, so that nothing can be swapped unnoticed. */
import { parseBoundedJson } from './bounded-json.ts';
import { SealError } from './seal-error.ts';

export const HEADER_VERSION = 1;

/** A kind names content and author, so that a buyer's message cannot be passed off as one from the desk. */
export const CASE_OBJECT_KINDS = [
  'inquiry.v1',
  'inquiry-file.v1',
  'buyer-message.v1',
  'buyer-message-file.v1',
  'desk-message.v1',
  'finding.v1',
  'finding-file.v1',
  'note.v1',
] as const;

export type SealedKind = (typeof CASE_OBJECT_KINDS)[number] | 'case-key.v1' | 'contact.v1' | 'refund.v1';

/** Files are opened as streams; everything else in a case is an envelope. */
export const SEALED_FILE_KINDS = [
  'inquiry-file.v1',
  'buyer-message-file.v1',
  'finding-file.v1',
] as const satisfies readonly SealedKind[];

export type SealedFileKind = (typeof SEALED_FILE_KINDS)[number];

export function isSealedFileKind(kind: SealedKind): kind is SealedFileKind {
  return SEALED_FILE_KINDS.some((known) => known === kind);
}

export interface SealedHeader {
  readonly kind: SealedKind;
  /** The lookup hash of the case; empty if there is no case. */
  readonly case: string;
  /** Counts the objects of this kind in the case, from 0. */
  readonly seq: number;
}

export function serializeHeader(header: SealedHeader): string {
  return JSON.stringify({ v: HEADER_VERSION, kind: header.kind, case: header.case, seq: header.seq });
}

/** Compares with the expected header: only this reveals that one object was replaced with another. */
export function checkHeader(line: string, expected: SealedHeader): void {
  if (line === serializeHeader(expected)) return;
  throw new SealError(classifyHeaderFault(line));
}

function classifyHeaderFault(line: string): 'tampered' | 'unsupported' | 'swapped' {
  const header = parseBoundedJson(line);
  if (typeof header !== 'object' || header === null || !('v' in header)) return 'tampered';
  return header.v === HEADER_VERSION ? 'swapped' : 'unsupported';
}
