/** A sealing error as it is passed between two threads: its code and sentence, and nothing else. */
import { SealError, type SealErrorCode } from '#seal/core/seal-error.ts';

export interface SealingFault {
  /** Null unless the data to seal or open is at fault. */
  readonly code: SealErrorCode | null;
  readonly sentence: string;
}

/** The text of any other error may quote what a person wrote. */
export function toSealingFault(error: unknown): SealingFault {
  if (error instanceof SealError) return { code: error.code, sentence: error.message };
  return { code: null, sentence: error instanceof Error ? error.constructor.name : typeof error };
}

export function restoreSealingFault(fault: SealingFault | null): Error {
  if (fault?.code) return new SealError(fault.code, fault.sentence);
  return new Error(`sealing failed: ${fault?.sentence ?? 'the other side ended'}`);
}
