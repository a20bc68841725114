/** Reseals the key of one case and its notes to the current people; the content of the case stays as it is. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base64urlnopad } from '@scure/base';
import { type AgeIdentity, computePlainSize, countRecipients } from '../core/age.ts';
import { type CaseKey, type CaseKeyRecipients, openCaseKey, sealCaseKey } from '../core/case-key.ts';
import { awaitOrNull, SealError } from '../core/seal-error.ts';
import { isSealedNote, resealCaseNote } from './note.ts';

/** A case that is not known to be sealed to the current keys. */
export interface CaseToReseal {
  readonly id: string;
  readonly lookupHash: string;
  /** Null if it cannot be read. */
  readonly caseKey: Uint8Array | null;
  /** Notes sealed to an earlier desk; null for a note that cannot be read, or for all if the case was purged. */
  readonly readNotes: () => Promise<
    readonly { readonly seq: number; readonly sealed: Uint8Array | null }[] | null
  >;
}

export interface ResealedCase {
  readonly caseKey: Uint8Array;
  readonly notes: readonly { readonly seq: number; readonly sealed: Uint8Array }[];
  /** False if some notes did not open with the key. */
  readonly isWhole: boolean;
}

/** The key, or why it does not open. */
export async function openKeyToReseal(
  { caseKey, lookupHash }: Pick<CaseToReseal, 'caseKey' | 'lookupHash'>,
  identity: AgeIdentity,
): Promise<CaseKey | 'other_key' | 'damaged'> {
  if (!caseKey) return 'damaged';
  try {
    return await openCaseKey(caseKey, identity, lookupHash);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return error.code === 'wrong_key' ? 'other_key' : 'damaged';
  }
}

/** Null if the case is purged meanwhile. */
export async function resealOpenedCase(
  { readNotes }: Pick<CaseToReseal, 'readNotes'>,
  key: CaseKey,
  { identity, holders }: { readonly identity: AgeIdentity; readonly holders: CaseKeyRecipients },
): Promise<ResealedCase | null> {
  const caseKey = await sealCaseKey(key, holders);
  const found = await readNotes();
  if (!found) return null;
  const notes: { seq: number; sealed: Uint8Array }[] = [];
  for (const { seq, sealed } of found) {
    const resealed = sealed && (await awaitOrNull(resealCaseNote(sealed, identity, holders.desk)));
    if (resealed) notes.push({ seq, sealed: resealed });
  }
  return { caseKey, notes, isWhole: notes.length === found.length };
}

/** Distinguishes one sealing of a key from another sealing of the same key. */
export function hashSealedKey(sealed: Uint8Array): string {
  return base64urlnopad.encode(sha256(sealed));
}

/** All that can be checked without a key: one recipient for each person, the recovery key and the words. */
export function isResealedCase(
  { caseKey, notes }: Pick<ResealedCase, 'caseKey' | 'notes'>,
  desk: readonly string[],
): boolean {
  const recipients = desk.length + 2;
  return (
    countRecipients(caseKey) === recipients &&
    computePlainSize(caseKey.length, recipients) !== null &&
    notes.every(({ sealed }) => isSealedNote(sealed, desk))
  );
}
