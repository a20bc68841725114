/** Reads cases from the office: opens the key, checks it against its pin, and opens the new parts of the case. */
import { type PinFile, readPins, requirePinnedKey, savePin } from '#desk/keys/pin-file.ts';
import { readSeenMarks, saveSeenMark } from '#desk/keys/seen-file.ts';
import { ENGLISH } from '#language/languages.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import {
  buildCaseContent,
  type CaseContent,
  openCaseObjects,
  openWithinBounds,
} from '#seal/case/case-content.ts';
import { listCaseDifferences } from '#seal/case/case-differences.ts';
import {
  type CaseFile,
  listFindingFiles,
  listInquiryFiles,
  listMessageFiles,
} from '#seal/case/case-files.ts';
import { MAX_MESSAGES, messageKinds } from '#seal/case/message.ts';
import { NOTE_KIND, openCaseNote } from '#seal/case/note.ts';
import { isGenuinePart, type UnreadableReason } from '#seal/case/opened-part.ts';
import { hashDeskAuthor } from '#seal/case/sealed-message.ts';
import { computeNextSeq } from '#seal/case/thread.ts';
import { type CaseKey, openCaseKey } from '#seal/core/case-key.ts';
import { formatPlace } from '#seal/core/envelope.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { computePinTags, createDeskTagger, createKeyPin, formatPinFingerprint } from '#seal/core/key-pin.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { type DeskCase, type DeskCaseFile, DeskCaseFileSchema } from '#wire/desk-cases.ts';
import { sayText } from '#wire/said-text.ts';
import {
  computeMark,
  isDeclineOnHold,
  type KnownCase,
  type KnownCases,
  rememberCase,
  rememberCount,
  requireDistinctParts,
  requireSameMark,
  requireSameParts,
  toCasePath,
} from './known-case.ts';
import { OfficeFault, withLocalFaults } from './office-fault.ts';
import { createHostileFault } from './office-http.ts';
import type { OfficeSigner } from './office-session.ts';

interface CaseGap {
  readonly kind: SealedKind;
  readonly first: number;
  readonly last: number;
  /** A whole sentence about the gap. */
  readonly text: string;
}

const partNames: Readonly<Partial<Record<SealedKind, string>>> = {
  'inquiry.v1': 'The inquiry',
  'inquiry-file.v1': 'A file of the inquiry',
  [messageKinds.buyer]: 'A message from the buyer',
  'buyer-message-file.v1': 'A file from the buyer',
  [messageKinds.desk]: 'A message from the desk',
  [NOTE_KIND]: 'A note',
  'finding.v1': 'The finding',
  'finding-file.v1': 'A file of the finding',
};

/** How many messages of each side were there when the investigator read them. */
export interface SeenMessages {
  readonly buyer: number;
  readonly desk: number;
}

export interface DeskOpenedCase {
  readonly facts: DeskCase;
  /** Times are milliseconds since the epoch, as the office reports them. */
  readonly content: CaseContent<number>;
  readonly notes: readonly DeskNote[];
  /** The authors of the desk's messages by number, as far as a message proves its author. */
  readonly authors: ReadonlyMap<number, string>;
  /** All sealed parts, as the office lists them. */
  readonly objects: DeskCaseFile['objects'];
  /** All files that the opened parts name, in their order. */
  readonly files: readonly CaseFile[];
  /** Four groups of five digits; the buyer's case page shows the same. */
  readonly fingerprint: string;
  /** No opening with this key is remembered: compare the fingerprint with the buyer's. */
  readonly isFirstOpening: boolean;
  /** False if the inquiry does not open under the key of the case; then nothing may be sealed to that key. */
  readonly isGenuine: boolean;
  /** Numbers that must have existed, but are missing. */
  readonly gaps: readonly CaseGap[];
  /** Where the office's facts differ from what was sealed at the desk, each a whole sentence. */
  readonly differences: readonly string[];
  /** Sent back with every text that the investigator writes. */
  readonly seen: SeenMessages;
  /** The office's clock. */
  readonly now: number;
}

export interface DeskNote {
  readonly seq: number;
  readonly at: number;
  /** The hash of its author's key, as the note says; any desk key could have written it. Null if it does not open. */
  readonly by: string | null;
  /** The note, or why there is none to show. */
  readonly said:
    | { readonly text: string }
    | { readonly unreadable: string; readonly reason: UnreadableReason };
}

/** Room for two hundred messages of each side in large envelopes, and as many notes. */
const MAX_CASE_BYTES = 64 * 1024 * 1024;

/** A case with its key, for the functions that write in it; the key is never passed to a page. */
export interface ReadCase {
  readonly opened: DeskOpenedCase;
  readonly key: CaseKey;
  readonly file: DeskCaseFile;
}

export interface CaseReaderParts {
  readonly signer: OfficeSigner;
  readonly key: PinFile;
  readonly cases: KnownCases;
}

/** The case as received, checked as far as possible without opening it. */
export async function fetchCaseFile(
  { signer, cases }: Pick<CaseReaderParts, 'signer' | 'cases'>,
  id: string,
): Promise<DeskCaseFile> {
  const file = await signer.read(DeskCaseFileSchema, toCasePath(id), MAX_CASE_BYTES);
  if (file.case.id !== id) throw createHostileFault('it is about another case');
  requireDistinctParts(file);
  rememberCase(cases, file.case);
  return file;
}

/** With `marksSeen` the case is no longer new to this key, provided that its inquiry is genuine. */
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
  // Parts that another key could not open may open with this one.
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
  // Unless the inquiry opens, nothing shows that this key is the buyer's, so it is not pinned.
  const isFirstOpening = isGenuine && (await withLocalFaults(() => savePin(desk, pin)));
  if (marksSeen && isGenuine)
    await withLocalFaults(() => saveSeenMark(desk, id, { buyer: seen.buyer, ...toTeamState(file.case) }));
  return {
    key,
    file,
    opened: {
      facts: file.case,
      content,
      notes,
      authors: listProvenAuthors(content, file),
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

/** What colleagues change in a case, as the file beside the key remembers it. */
export function toTeamState({ messages, holder, handed_by: handedBy }: DeskCase) {
  return { notes: messages.notes, assigned: `${holder} ${handedBy}` };
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
  return await openCaseKey(sealed, identity, lookupHash).catch((error: unknown) => {
    if (!(error instanceof SealError)) throw error;
    throw new OfficeFault('unreadable', `The key of this case cannot be opened. ${error.message}`, error);
  });
}

/** Parts that were opened before have not changed, as `requireSameParts` has checked. */
async function openNewParts(known: KnownCase, key: CaseKey, { case: facts, envelopes }: DeskCaseFile) {
  const opened = await openWithinBounds(envelopes, known.opened.values(), async (batch, room) => {
    const objects = batch.map(({ kind, seq, at, sealed }) => ({
      kind,
      seq,
      at: Date.parse(at),
      readBytes: () => Buffer.from(sealed, 'base64url'),
    }));
    return await openCaseObjects(key, objects, room);
  });
  for (const object of opened)
    if (!isDeclineOnHold(facts, { ...object, at: toIsoTime(object.at) }))
      known.opened.set(formatPlace(object), object);
  return opened;
}

/** The office names the author; the sealed message has a hash that proves it. */
function listProvenAuthors(
  { messages }: CaseContent<number>,
  { envelopes }: DeskCaseFile,
): ReadonlyMap<number, string> {
  const told = envelopes.filter(({ kind }) => kind === messageKinds.desk);
  return new Map(
    messages.flatMap(({ by, seq, said }) => {
      const author = told.find((envelope) => by === 'desk' && envelope.seq === seq)?.author;
      if (!author || !('content' in said) || said.content.author !== hashDeskAuthor(author)) return [];
      return [[seq, author.holder] as const];
    }),
  );
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
      const place = { seq, at: Date.parse(at) };
      if ('unreadable' in note)
        return { ...place, by: null, said: { unreadable: note.unreadable, reason: note.reason } };
      requireSameMark(known, { kind, seq }, computeMark(JSON.stringify(note.content)));
      const { by, text } = note.content;
      return { ...place, by, said: { text } };
    }),
  );
}

/** `content` shows what its writers had read; `known` what this desk has seen. */
function listCaseGaps(
  known: Pick<KnownCase, 'counts'>,
  file: DeskCaseFile,
  content: CaseContent<number>,
  files: readonly CaseFile[],
): CaseGap[] {
  const present = new Set(file.envelopes.map(formatPlace));
  const stored = new Set(file.objects.map(formatPlace));
  const told = { buyer: file.case.messages.buyer, desk: file.case.messages.desk };
  const sides = (['buyer', 'desk'] as const).flatMap((by) => {
    const kind = messageKinds[by];
    const proven = content.thread.map((entry) =>
      'missing' in entry && entry.by === by ? entry.missing.last + 1 : 0,
    );
    return listMissing(kind, Math.max(told[by], known.counts.get(kind) ?? 0, ...proven), present);
  });
  const notes = Math.max(file.case.messages.notes, known.counts.get(NOTE_KIND) ?? 0);
  const isDelivered = file.case.delivered_at !== null;
  return [
    ...listMissing('inquiry.v1', 1, present),
    ...sides,
    ...listMissing(NOTE_KIND, notes, present),
    ...(isDelivered && content.finding === null ? [createGap('finding.v1', 0, 0)] : []),
    ...files
      .filter((each) => !stored.has(formatPlace(each)))
      .map(({ kind, seq }) => createGap(kind, seq, seq)),
  ];
}

function listNamedFiles({ inquiry, messages, finding, findingSeq }: CaseContent<number>): CaseFile[] {
  const inquiryFiles = 'content' in inquiry ? listInquiryFiles(inquiry.content) : [];
  const messageFiles = messages.flatMap(({ by, seq, said }) =>
    by === 'buyer' && 'content' in said ? listMessageFiles(said.content, seq) : [],
  );
  const findingFiles = finding && 'content' in finding ? listFindingFiles(finding.content, findingSeq) : [];
  return [...inquiryFiles, ...messageFiles, ...findingFiles];
}

/** Joins neighbouring numbers into one gap. */
function listMissing(kind: SealedKind, count: number, present: ReadonlySet<string>): CaseGap[] {
  const gaps: CaseGap[] = [];
  // A number beyond the limit comes from a broken office; counting up to it could take forever.
  for (let seq = 0; seq < Math.min(count, MAX_MESSAGES); seq += 1) {
    if (present.has(formatPlace({ kind, seq }))) continue;
    const last = gaps.at(-1);
    if (last && last.last === seq - 1) gaps.splice(-1, 1, createGap(kind, last.first, seq));
    else gaps.push(createGap(kind, seq, seq));
  }
  return gaps;
}

function createGap(kind: SealedKind, first: number, last: number): CaseGap {
  const numbers = first === last ? `number ${first + 1}` : `numbers ${first + 1} to ${last + 1}`;
  const text = `${partNames[kind] ?? kind} is missing (${numbers}): it was there before, but the office no longer provides it.`;
  return { kind, first, last, text };
}
