/** Reads cases from the office: opens the key, holds it to its pin, and opens what is new in the case. */

import { type PinFile, readPins, requirePinnedKey, savePin } from '#desk-program/keys/pin-file.ts';
import { readSeenMarks, saveSeenMark } from '#desk-program/keys/seen-file.ts';
import { ENGLISH } from '#language/languages.ts';
import type { CaseContent } from '#seal/case-content.ts';
import { buildCaseContent, openCaseObjects, openWithinBounds } from '#seal/case-content.ts';
import { listCaseDifferences } from '#seal/case-differences.ts';
import type { CaseFile } from '#seal/case-files.ts';
import { type CaseKey, openCaseKey } from '#seal/case-key.ts';
import { formatPlace } from '#seal/envelope.ts';
import { computePinTags, createDeskTagger, createKeyPin, formatPinFingerprint } from '#seal/key-pin.ts';
import { messageKinds } from '#seal/message.ts';
import { NOTE_KIND, openCaseNote } from '#seal/note.ts';
import type { UnreadableReason } from '#seal/opened-part.ts';
import { isGenuinePart } from '#seal/opened-part.ts';
import { SealError } from '#seal/seal-error.ts';
import { computeNextSeq } from '#seal/thread.ts';
import type { DeskCase } from '#wire/desk-cases.ts';
import { type DeskCaseFile, DeskCaseFileSchema } from '#wire/desk-cases.ts';
import { sayText } from '#wire/said-text.ts';
import type { CaseGap } from './case-gaps.ts';
import { listCaseGaps, listNamedFiles } from './case-gaps.ts';
import {
  computeMark,
  type KnownCase,
  type KnownCases,
  rememberCase,
  rememberCount,
  requireDistinctParts,
  requireSameMark,
  requireSameParts,
  toCasePath,
} from './known-case.ts';
import { withLocalFaults } from './local-fault.ts';
import { parseOfficeAnswer } from './office-answer.ts';
import { OfficeFault } from './office-fault.ts';
import { createHostileFault } from './office-http.ts';
import type { OfficeSigner } from './office-session.ts';

/** How many messages of each side were there when the investigator read them. */
export interface SeenMessages {
  readonly buyer: number;
  readonly desk: number;
}

export interface DeskOpenedCase {
  readonly facts: DeskCase;
  /** Times are milliseconds since the epoch, as the office tells them. */
  readonly content: CaseContent<number>;
  readonly notes: readonly DeskNote[];
  /** All sealed parts, as the office lists them. */
  readonly objects: DeskCaseFile['objects'];
  /** All files that the opened parts name, in their order. */
  readonly files: readonly CaseFile[];
  /** Four groups of five digits; the buyer's case page shows the same. */
  readonly fingerprint: string;
  /** No opening with this key is remembered: compare the fingerprint with the buyer's. */
  readonly isFirstOpening: boolean;
  /** False if the inquiry does not open under the key of the case: nothing may be written to it. */
  readonly isGenuine: boolean;
  /** Numbers that must have been there, but are not. */
  readonly gaps: readonly CaseGap[];
  /** Where the office says something else than was sealed at the desk, each a whole sentence. */
  readonly differences: readonly string[];
  /** To hand back with what is written. */
  readonly seen: SeenMessages;
  /** The office's clock. */
  readonly now: number;
}

export interface DeskNote {
  readonly seq: number;
  readonly at: number;
  /** The holder who wrote it, as the note says: any desk key could have; null if it could not be opened. */
  readonly by: string | null;
  /** The note, or why there is none to show. */
  readonly said:
    | { readonly text: string }
    | { readonly unreadable: string; readonly reason: UnreadableReason };
}

/** Two hundred messages of each side in large envelopes, and as many notes. */
const MAX_CASE_BYTES = 64 * 1024 * 1024;

/** A case with its key, for whoever writes in it; the key is never given to a page. */
export interface ReadCase {
  readonly opened: DeskOpenedCase;
  readonly key: CaseKey;
  readonly file: DeskCaseFile;
}

export interface CaseReaderParts {
  readonly signer: Pick<OfficeSigner, 'send'>;
  readonly key: PinFile;
  readonly cases: KnownCases;
}

/** The case as it came, checked as far as that goes without opening it. */
export async function fetchCaseFile(
  { signer, cases }: Pick<CaseReaderParts, 'signer' | 'cases'>,
  id: string,
): Promise<DeskCaseFile> {
  const answer = await signer.send({ method: 'GET', path: toCasePath(id), maxBytes: MAX_CASE_BYTES });
  const file = parseOfficeAnswer(DeskCaseFileSchema, answer);
  if (file.case.id !== id) throw createHostileFault('it is about another case');
  requireDistinctParts(file);
  rememberCase(cases, file.case);
  return file;
}

/** `marksSeen`: from then on it is not new to this key, unless there is no telling whose case it is. */
export async function readOfficeCase(
  parts: CaseReaderParts,
  id: string,
  { marksSeen = false }: { readonly marksSeen?: boolean } = {},
): Promise<ReadCase> {
  const { key: desk, cases } = parts;
  const file = await fetchCaseFile(parts, id);
  const known = rememberCase(cases, file.case);
  const { key, pin } = await openPinnedKey(desk, file);
  requireSameParts(known, file);
  // What another key left shut may open with this one.
  if (known.key?.recipient !== key.recipient) known.opened.clear();
  known.key = key;
  const marks = await withLocalFaults(() => readSeenMarks(desk));
  rememberCount(known, messageKinds.buyer, marks.get(id) ?? 0);
  const content = buildCaseContent(await openNewParts(known, key, file));
  const notes = await openNotes(known, key, desk, file);
  const isGenuine = isGenuinePart(content.inquiry);
  const files = listNamedFiles(content);
  const seen = {
    buyer: computeNextSeq(content.messages, 'buyer'),
    desk: computeNextSeq(content.messages, 'desk'),
  };
  // Nothing shows yet that a key belongs to what the buyer has sent, so it is not pinned.
  const isFirstOpening = isGenuine && (await withLocalFaults(() => savePin(desk, pin)));
  if (marksSeen && isGenuine) await withLocalFaults(() => saveSeenMark(desk, id, seen.buyer));
  return {
    key,
    file,
    opened: {
      facts: file.case,
      content,
      notes,
      objects: file.objects,
      files,
      fingerprint: formatPinFingerprint(pin),
      isFirstOpening,
      isGenuine,
      gaps: listCaseGaps(known, file, content, files),
      differences: listCaseDifferences(content, file.case).map(({ said }) => sayText(ENGLISH, said)),
      seen,
      now: Date.parse(file.now),
    },
  };
}

async function openPinnedKey(desk: PinFile, { case: facts, case_key: sealed }: DeskCaseFile) {
  const kept = await withLocalFaults(() => readPins(desk));
  const key = await openKey(Buffer.from(sealed, 'base64url'), desk, facts.lookup_hash);
  const pin = createKeyPin(facts.id, key);
  const tags = computePinTags(createDeskTagger(desk.identity), pin);
  await withLocalFaults(async () => requirePinnedKey(kept, pin, tags));
  return { key, pin };
}

async function openKey(sealed: Uint8Array, { identity }: PinFile, lookupHash: string): Promise<CaseKey> {
  try {
    return await openCaseKey(sealed, identity, lookupHash);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new OfficeFault('unreadable', `The key of this case does not open. ${error.message}`, error);
  }
}

/** What was opened before is the same still, as `requireSameParts` has checked. */
async function openNewParts(known: KnownCase, key: CaseKey, { envelopes }: DeskCaseFile) {
  const opened = await openWithinBounds(envelopes, known.opened.values(), async (batch, room) => {
    const objects = batch.map(({ kind, seq, at, sealed }) => ({
      kind,
      seq,
      at: Date.parse(at),
      readBytes: () => Buffer.from(sealed, 'base64url'),
    }));
    return await openCaseObjects(key, objects, room);
  });
  for (const object of opened) known.opened.set(formatPlace(object), object);
  return opened;
}

async function openNotes(
  known: KnownCase,
  key: CaseKey,
  { identity }: PinFile,
  { envelopes }: DeskCaseFile,
): Promise<DeskNote[]> {
  const sealedNotes = envelopes.filter(({ kind }) => kind === NOTE_KIND).toSorted((a, b) => a.seq - b.seq);
  return await Promise.all(
    sealedNotes.map(async ({ kind, seq, at, sealed }) => {
      const note = await openCaseNote(key, identity, seq, Buffer.from(sealed, 'base64url'));
      if ('unreadable' in note)
        return {
          seq,
          at: Date.parse(at),
          by: null,
          said: { unreadable: note.unreadable, reason: note.reason },
        };
      requireSameMark(known, { kind, seq }, computeMark(JSON.stringify(note.content)));
      const { by, text } = note.content;
      return { seq, at: Date.parse(at), by, said: { text } };
    }),
  );
}
