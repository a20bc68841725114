/** What this run knows of a case: once seen, its identity and its parts must not change or disappear unnoticed. */
import { hash } from 'node:crypto';
import { isId } from '#platform/text/id-pattern.ts';
import type { OpenedObject } from '#seal/case/case-content.ts';
import { MAX_FINDING_FILE_BYTES } from '#seal/case/finding.ts';
import { messageKinds } from '#seal/case/message.ts';
import { NOTE_KIND } from '#seal/case/note.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import { formatPlace, type SealedPlace } from '#seal/core/envelope.ts';
import { isSealedFileKind, type SealedKind } from '#seal/core/header.ts';
import { isSealedFileSize } from '#seal/files/sealed-file.ts';
import type { DeskCase, DeskCaseFile } from '#wire/desk-cases.ts';
import { OfficeFault } from './office-fault.ts';
import { createHostileFault } from './office-http.ts';

export interface KnownCase {
  readonly identity: CaseIdentity;
  key: CaseKey | null;
  /** By place: a hash or a size, by which a changed part is noticed. */
  readonly marks: Map<string, string>;
  /** By place: parts that need not be opened again. */
  readonly opened: Map<string, OpenedObject<number>>;
  /** By kind: the highest count ever seen. */
  readonly counts: Map<SealedKind, number>;
}

type CaseIdentity = Pick<DeskCase, 'id' | 'lookup_hash' | 'tier' | 'submitted_at' | 'sealed_by'>;

export type KnownCases = Map<string, KnownCase>;

/** A list may name cases that do not exist; beyond this number, the oldest that was never opened is forgotten. */
export const MAX_LISTED_CASES = 20_000;

/** An id may come from the address of a page, so it must not lead elsewhere. */
export function toCasePath(id: string): string {
  return `/cases/${requireCaseId(id)}`;
}

export function requireCaseId(id: string): string {
  if (isId(id)) return id;
  throw new OfficeFault('case_unknown', 'There is no such case.');
}

/** Called for every answer that names a case. */
export function rememberCase(cases: KnownCases, facts: DeskCase): KnownCase {
  const { id, lookup_hash, tier, submitted_at, sealed_by } = facts;
  const identity = { id, lookup_hash, tier, submitted_at, sealed_by };
  const known = cases.get(id);
  if (known === undefined) {
    const fresh = { identity, key: null, marks: new Map(), opened: new Map(), counts: new Map() };
    cases.set(id, fresh);
    if (cases.size > MAX_LISTED_CASES) discardListedCase(cases);
    return fresh;
  }
  if (JSON.stringify(known.identity) !== JSON.stringify(identity))
    throw createAlteredFault('The words, tier or time of this case are not the same as');
  return known;
}

/** Never discards opened cases: otherwise the office could invent cases until a changed one looks new. */
function discardListedCase(cases: KnownCases): void {
  for (const [id, { marks }] of cases) if (marks.size === 0) return void cases.delete(id);
}

/** Forgets its key and its text, but not the marks by which a change is noticed. */
export function closeKnownCase(cases: KnownCases, id: string): void {
  const known = cases.get(id);
  if (!known) return;
  known.key = null;
  known.opened.clear();
}

export function requireDistinctParts({ objects, envelopes }: DeskCaseFile): void {
  const places = new Set(objects.map(formatPlace));
  const sealedPlaces = new Set(envelopes.map(formatPlace));
  if (places.size !== objects.length || sealedPlaces.size !== envelopes.length)
    throw createHostileFault('it has two parts with the same kind and number');
  if (envelopes.some((envelope) => !places.has(formatPlace(envelope)) || isSealedFileKind(envelope.kind)))
    throw createHostileFault('it has parts that it does not list');
  const files = objects.filter(({ kind }) => isSealedFileKind(kind));
  if (files.some(({ size }) => !isSealedFileSize(size, MAX_FINDING_FILE_BYTES)))
    throw createHostileFault('it has a file of an impossible size');
}

/** Compares the parts as received, before any of them is opened. */
export function requireSameParts(known: KnownCase, { case: facts, objects, envelopes }: DeskCaseFile): void {
  for (const { kind, seq, size } of objects.filter((object) => isSealedFileKind(object.kind)))
    requireSameMark(known, { kind, seq }, String(size));
  // A note is sealed again when people join or leave; its content is compared once it is open.
  for (const envelope of envelopes)
    if (envelope.kind !== NOTE_KIND && !isDeclineOnHold(facts, envelope))
      requireSameMark(known, envelope, computeMark(envelope.sealed));
}

/** Not final: if it is taken back, another message replaces it. Until then its time is that of its release. */
export function isDeclineOnHold(
  { state, held_until: heldUntil }: Pick<DeskCase, 'state' | 'held_until'>,
  { kind, at }: { readonly kind: SealedKind; readonly at: string },
): boolean {
  return state === 'declined' && kind === messageKinds.desk && at === heldUntil;
}

export function computeMark(text: string): string {
  return hash('sha256', text, 'base64url');
}

export function requireSameMark(known: KnownCase, place: SealedPlace, mark: string): void {
  const name = formatPlace(place);
  const before = known.marks.get(name);
  if (before !== undefined && before !== mark)
    throw createAlteredFault(`A part of this case (${place.kind}, number ${place.seq}) is not the same as`);
  known.marks.set(name, mark);
  rememberCount(known, place.kind, place.seq + 1);
}

/** A count never decreases. */
export function rememberCount({ counts }: KnownCase, kind: SealedKind, count: number): void {
  counts.set(kind, Math.max(counts.get(kind) ?? 0, count));
}

/** A finding that this run has seen, and that is no longer delivered, was taken back, whatever the office says. */
export function countTakenBack(
  cases: KnownCases,
  { id, finding_seq: told, delivered_at: deliveredAt }: DeskCase,
): number {
  return deliveredAt === null ? Math.max(told, cases.get(id)?.counts.get('finding.v1') ?? 0) : told;
}

function createAlteredFault(what: string): OfficeFault {
  return new OfficeFault(
    'altered',
    `${what} when you opened it earlier today, so none of it is shown. The records may have been tampered with: tell the operator.`,
  );
}
