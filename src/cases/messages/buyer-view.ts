/** What the buyer sees of a case: until a finding or a decline is released, everything is as it was before. */
import { messageKinds } from '#seal/case/message.ts';
import { NOTE_KIND } from '#seal/case/note.ts';
import type { SealedKind } from '#seal/core/header.ts';
import { type Case, MAX_HOLD_MS } from '#store/cases/cases.ts';
import type { StoredObject } from '#store/cases/objects.ts';

export const FINDING_KINDS = ['finding.v1', 'finding-file.v1'] as const satisfies readonly SealedKind[];

/** Delivered or declined by the desk, but not released: the desk can still take it back. */
export function isAnswerOnHold(
  { state_on_hold: shown, released_at: at }: Pick<Case, 'state_on_hold' | 'released_at'>,
  now: number,
): boolean {
  return shown !== null && at !== null && isYetToCome(at, now);
}

export function isDeclineOnHold(record: Case, now: number): boolean {
  return record.state === 'declined' && isAnswerOnHold(record, now);
}

/** Fields to store with a change, so that a released answer is not on hold again if the clock goes back. */
export function keepReleased(record: Case, now: number): Partial<Case> {
  if (record.state_on_hold === null || isAnswerOnHold(record, now)) return {};
  return { released_at: Math.min(record.released_at ?? now, now), state_on_hold: null };
}

/** Only for display to the buyer: updates must be compared with the stored state, never with this view. */
export function toBuyerView(record: Case, now: number): Case {
  if (!isAnswerOnHold(record, now) || record.state_on_hold === null) return record;
  return {
    ...record,
    state: record.state_on_hold,
    state_on_hold: null,
    delivered_at: null,
    released_at: null,
    purge_at: null,
  };
}

export function listBuyerObjects(
  record: Case,
  stored: readonly StoredObject[],
  now: number,
): readonly StoredObject[] {
  // A decline on hold is the desk's last message, stored with the time of its release. If the clock went back after the
  // release, that time is in the future again, but a decline is never shown without its reason.
  const isDeclineOut = record.state === 'declined' && !isAnswerOnHold(record, now);
  const last = Math.max(...stored.filter(isDeskMessage).map(({ seq }) => seq));
  const objects = stored.filter(
    (object) =>
      object.kind !== NOTE_KIND &&
      (isDeclineOut || !(isDeskMessage(object) && object.seq === last && isYetToCome(object.keptAt, now))),
  );
  // Also hides a finding that was delivered after the record was read: the objects are read later.
  const isHidden = record.delivered_at === null || isAnswerOnHold(record, now);
  if (isHidden) return objects.filter(({ kind }) => !isFindingKind(kind));
  const { released_at: releasedAt } = record;
  if (releasedAt === null) return objects;
  // Hides the time at which the desk acted.
  return objects.map((object) => (isFindingKind(object.kind) ? { ...object, keptAt: releasedAt } : object));
}

function isDeskMessage({ kind }: StoredObject): boolean {
  return kind === messageKinds.desk;
}

/** A time further ahead than any hold comes from a fast clock, so content with it may already have been read. */
function isYetToCome(at: number, now: number): boolean {
  return at > now && at <= now + MAX_HOLD_MS;
}

function isFindingKind(kind: SealedKind): boolean {
  return (FINDING_KINDS as readonly SealedKind[]).includes(kind);
}
