/** A note among investigators, `note.v1`: sealed in its case like a message, then again to the desk's keys only. */
import {
  type AgeIdentity,
  type AgeRecipient,
  computePlainSize,
  countRecipients,
  openSealedBytes,
  sealBytes,
} from '../core/age.ts';
import type { CaseKey } from '../core/case-key.ts';
import { ENVELOPE_SIZES, openEnvelopeBody, type SealedPlace, sealEnvelope } from '../core/envelope.ts';
import type { FrameBody } from '../core/frame.ts';
import type { SealedKind } from '../core/header.ts';
import { isInvestigatorId } from '../core/investigator-id.ts';
import { SealError } from '../core/seal-error.ts';
import {
  type Checked,
  createRecordRule,
  createTextRule,
  type FieldError,
  type RuleValue,
} from '../form/field-rules.ts';
import { MAX_MESSAGE_CHARACTERS, MAX_MESSAGES } from './message.ts';
import { type OpenedPart, openPart } from './opened-part.ts';

export const NOTE_KIND = 'note.v1' as const satisfies SealedKind;

const noteRule = createRecordRule({
  text: createTextRule({ min: 1, max: MAX_MESSAGE_CHARACTERS }),
  /** The author's id, as claimed: desk keys cannot sign, so anyone at the desk could have written it. */
  by: createTextRule({ min: 1, max: 43, allows: isInvestigatorId }),
});

export type CaseNote = RuleValue<typeof noteRule>;

export function validateCaseNote(value: unknown): Checked<'note', CaseNote> {
  const errors: FieldError[] = [];
  const note = noteRule(value, '', errors);
  return note && errors.length === 0 ? { note } : { errors };
}

/**
 * The inner layer is an envelope of the case: its MAC shows that the author holds the case key, and without that key,
 * which a purge destroys, no copy of the note can be opened. The outer layer keeps out the buyer, who has the same key.
 */
export async function sealCaseNote(
  key: CaseKey,
  desk: readonly AgeRecipient[],
  { seq, note }: { readonly seq: number; readonly note: CaseNote },
): Promise<Uint8Array> {
  return await sealToDesk(await sealEnvelope(key, { kind: NOTE_KIND, seq }, note), desk);
}

export async function openCaseNote(
  key: CaseKey,
  identity: AgeIdentity,
  seq: number,
  sealed: Uint8Array,
): Promise<OpenedPart<CaseNote>> {
  return await openPart(
    () => openPartBody(key, identity, { kind: NOTE_KIND, seq }, sealed),
    (body) => {
      const checked = validateCaseNote(body);
      return 'note' in checked ? checked.note : undefined;
    },
  );
}

/** The body of any part of a case, even one of an unknown form, which the desk saves as a file. */
export async function openPartBody(
  key: CaseKey,
  identity: AgeIdentity,
  place: SealedPlace,
  sealed: Uint8Array,
): Promise<FrameBody> {
  const envelope = place.kind === NOTE_KIND ? await openSealedBytes(sealed, identity) : sealed;
  return await openEnvelopeBody(key, place, envelope);
}

/** Reseals to the current desk; the envelope inside stays the same byte for byte. */
export async function resealCaseNote(
  sealed: Uint8Array,
  identity: AgeIdentity,
  desk: readonly AgeRecipient[],
): Promise<Uint8Array> {
  const envelope = await openSealedBytes(sealed, identity);
  if (!ENVELOPE_SIZES.includes(envelope.length)) throw new SealError('truncated');
  return await sealToDesk(envelope, desk);
}

/** Checks what is visible without a key: a layer for exactly as many keys as the desk has, around an envelope. */
export function isSealedNote(sealed: Uint8Array, desk: readonly AgeRecipient[]): boolean {
  const recipients = new Set(desk).size;
  const size = computePlainSize(sealed.length, recipients);
  return size !== null && ENVELOPE_SIZES.includes(size) && countRecipients(sealed) === recipients;
}

async function sealToDesk(envelope: Uint8Array, desk: readonly AgeRecipient[]): Promise<Uint8Array> {
  return await sealBytes(envelope, [...new Set(desk)]);
}

export interface MissingNotes {
  readonly missing: { readonly first: number; readonly last: number };
}

/** Sorted by number, with an entry for each gap. */
export function listNotesWithGaps<Note extends { readonly seq: number }>(
  notes: readonly Note[],
): (Note | MissingNotes)[] {
  const entries: (Note | MissingNotes)[] = [];
  let next = 0;
  for (const note of notes.toSorted((a, b) => a.seq - b.seq)) {
    // A number beyond the limit comes from a broken service.
    if (note.seq > next && next < MAX_MESSAGES)
      entries.push({ missing: { first: next, last: note.seq - 1 } });
    entries.push(note);
    next = note.seq + 1;
  }
  return entries;
}
