/** The first line of everything sealed: what it is, of which case, at which place, so that nothing passes for another. */
import { SealError } from './seal-error.ts';

const VERSION = 1;

/** What lies sealed in a case, and who wrote it: a buyer's message never passes for the desk's. */
export const CASE_OBJECT_KINDS = [
  'inquiry.v1',
  'inquiry-file.v1',
  'buyer-message.v1',
  'desk-message.v1',
  'finding.v1',
  'finding-file.v1',
] as const;

export type SealedKind = (typeof CASE_OBJECT_KINDS)[number] | 'case-key.v1' | 'contact.v1';

/** These are files, opened as they stream; everything else in a case is an envelope. */
export const SEALED_FILE_KINDS = [
  'inquiry-file.v1',
  'finding-file.v1',
] as const satisfies readonly SealedKind[];

export type SealedFileKind = (typeof SEALED_FILE_KINDS)[number];

export interface SealedHeader {
  readonly kind: SealedKind;
  /** The lookup hash of the case; empty where there is no case. */
  readonly case: string;
  /** The place among things of its kind in the case, from 0. */
  readonly seq: number;
}

export function serializeHeader(header: SealedHeader): string {
  return JSON.stringify({ v: VERSION, kind: header.kind, case: header.case, seq: header.seq });
}

/** Only a reader who knows what belongs here can notice that something else was put in its place. */
export function checkHeader(line: string, expected: SealedHeader): void {
  if (line === serializeHeader(expected)) return;
  throw new SealError(classifyHeaderFault(line));
}

function classifyHeaderFault(line: string): 'tampered' | 'unsupported' | 'swapped' {
  try {
    const found: unknown = JSON.parse(line);
    if (typeof found !== 'object' || found === null || !('v' in found)) return 'tampered';
    return found.v === VERSION ? 'swapped' : 'unsupported';
  } catch {
    return 'tampered';
  }
}
