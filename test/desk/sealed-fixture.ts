/** A case of a scripted office: sealed as a buyer seals it, to the keys of two investigators. */
import { randomBytes } from 'node:crypto';
import { generateId } from '#platform/text/ids.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import { messageKinds } from '#seal/case/message.ts';
import { type AgeRecipient, deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import { type CaseKey, generateCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { sealEnvelope } from '#seal/core/envelope.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { sealFile } from '#seal/files/sealed-file.ts';
import { recruiterInquiry } from '#test/cases/sealed-form.ts';
import { DESK_ACTS, type DeskCase, type DeskCaseFile } from '#wire/desk-cases.ts';

type CaseKind = DeskCaseFile['objects'][number]['kind'];

export interface FixturePart {
  readonly kind: CaseKind;
  readonly seq: number;
  readonly at: string;
  readonly bytes: Uint8Array;
}

export interface SealedFixture {
  readonly facts: DeskCase;
  readonly key: CaseKey;
  readonly caseKey: Uint8Array;
  readonly parts: FixturePart[];
}

export const LETTER = 'Dear Robin, CANARY-LETTER';

/** Seals a case with a letter of 25 characters as its only file. */
export async function sealFixture(desk: readonly AgeRecipient[]): Promise<SealedFixture> {
  const [words, recovery] = await Promise.all([generateRecipient(), generateRecipient()]);
  const lookupHash = randomBytes(32).toString('base64url');
  const key = await generateCaseKey({ lookupHash, recipient: words });
  const file = { name: 'letter.txt', mime: 'text/plain', size: LETTER.length, kept_as_evidence: false };
  const inquiry = { ...recruiterInquiry, payment_ref: 'IO-0000-0000', files: [file] };
  const content = ReadableStream.from([new TextEncoder().encode(LETTER)]);
  const sealed = await sealFile(
    key,
    { kind: 'inquiry-file.v1', seq: 0 },
    { ...file, content, maxBytes: 1000 },
  );
  return {
    facts: createDeskCase({ lookup_hash: lookupHash }),
    key,
    caseKey: await sealCaseKey(key, { desk, recovery }),
    parts: [
      await sealPart(key, 'inquiry.v1', 0, inquiry),
      { kind: 'inquiry-file.v1', seq: 0, at: toIsoTime(Date.now()), bytes: await joinStream(sealed) },
    ],
  };
}

/** Seals an impostor's case under the same words and id: only its key differs. */
export async function sealImpostor(
  original: SealedFixture,
  desk: readonly AgeRecipient[],
): Promise<SealedFixture> {
  const other = await sealFixture(desk);
  const { lookup_hash: lookupHash } = original.facts;
  const key = await generateCaseKey({ lookupHash, recipient: await generateRecipient() });
  const inquiry = { ...recruiterInquiry, question: 'Forged?', payment_ref: 'IO-0000-0000', files: [] };
  return {
    ...other,
    facts: original.facts,
    key,
    caseKey: await sealCaseKey(key, { desk, recovery: await generateRecipient() }),
    parts: [await sealPart(key, 'inquiry.v1', 0, inquiry)],
  };
}

export async function sealPart(
  key: CaseKey,
  kind: CaseKind,
  seq: number,
  body: unknown,
): Promise<FixturePart> {
  return { kind, seq, at: toIsoTime(Date.now()), bytes: await sealEnvelope(key, { kind, seq }, body) };
}

export async function sealBuyerMessage(key: CaseKey, seq: number, text: string): Promise<FixturePart> {
  return await sealPart(key, messageKinds.buyer, seq, { text, call_windows: [] });
}

/** The case as the office returns it now. */
export function toCaseFile({ facts, caseKey, parts }: SealedFixture): DeskCaseFile {
  const isFile = ({ kind }: { readonly kind: SealedKind }) => kind.includes('-file.');
  return {
    case: { ...facts, messages: countParts(parts) },
    case_key: Buffer.from(caseKey).toString('base64url'),
    objects: parts.map(({ kind, seq, at, bytes }) => ({ kind, seq, at, size: bytes.length })),
    envelopes: parts
      .filter((part) => !isFile(part))
      .map(({ kind, seq, at, bytes }) => ({
        kind,
        seq,
        at,
        sealed: Buffer.from(bytes).toString('base64url'),
      })),
    now: toIsoTime(Date.now()),
  };
}

export async function generateRecipient(): Promise<AgeRecipient> {
  return await deriveRecipient(await generateAgeIdentity());
}

function countParts(parts: readonly FixturePart[]): DeskCase['messages'] {
  const count = (kind: CaseKind) =>
    Math.max(0, ...parts.map((part) => (part.kind === kind ? part.seq + 1 : 0)));
  return { buyer: count(messageKinds.buyer), desk: count(messageKinds.desk), notes: count('note.v1') };
}

async function joinStream(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(stream));
}

/** A case that was received a moment ago and has no messages. */
export function createDeskCase(changes: Partial<DeskCase>, now = Date.now()): DeskCase {
  return {
    id: generateId(),
    lookup_hash: 'C'.repeat(43),
    tier: 'Dossier',
    state: 'received',
    call: 'none',
    sealed_by: 'browser',
    keep_days: 30,
    submitted_at: toIsoTime(now),
    due_at: toIsoTime(now + 48 * 3_600_000),
    late: false,
    delivered_at: null,
    finding_seq: 0,
    held_until: null,
    purge_at: null,
    purge_by: null,
    holder: null,
    handed_by: null,
    taken_from: null,
    unanswered_since: null,
    messages: { buyer: 0, desk: 0, notes: 0 },
    changed_at: toIsoTime(now),
    acts: [...DESK_ACTS],
    ...changes,
  };
}
