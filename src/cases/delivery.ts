/** Delivers a finding: text and files at once, and sets when the case is purged. */
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/text/ids.ts';
import {
  MAX_FINDING_FILE_BYTES,
  MAX_FINDING_FILES,
  MAX_FINDINGS,
  toFindingFileSeq,
} from '#seal/case/finding.ts';
import { countRecipients } from '#seal/core/age.ts';
import { ENVELOPE_SIZES } from '#seal/core/envelope.ts';
import { isSealedFileSize } from '#seal/files/sealed-file.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import { addToCase, computeObjectSize, matchesStoredObject } from '#store/cases/objects.ts';
import { deleteCaseRefund } from '#store/cases/refunds.ts';
import { bindObject } from '#store/cases/staged-objects.ts';
import { findLastSeenTime } from '#store/clock-guard.ts';
import type { Records } from '#store/schema/tables.ts';
import { requireClaim } from './desk/assignment.ts';
import { applyAuditedChange } from './desk/audited-change.ts';
import { forgetOthersDecline } from './desk/desk-digest.ts';
import { deleteDiscardedObjects, type Upload } from './intake/uploads.ts';
import { isAnswerOnHold } from './messages/buyer-view.ts';
import {
  computeReleaseTime,
  createStateRefusal,
  discardAnswer,
  requireAnswer,
  requireListedCase,
  updateNextTimes,
} from './states.ts';

export interface SealedFinding {
  readonly finding: Uint8Array;
  /** Uploaded earlier by the same uploader. */
  readonly files: readonly Upload[];
  readonly uploader: string;
  /** The number that the finding was sealed with. */
  readonly seq?: number;
  /** How long the desk can take it back; 0 by default. */
  readonly undoMs?: number;
  /** The investigator who delivers it; if there is none, the assignee is not checked. */
  readonly investigator?: string | null;
}

/** The uploader of a finding's files until it is delivered. */
export function toDeliveryUploader(caseId: string): string {
  return `delivery ${caseId}`;
}

/** Repeating a delivery changes nothing; a different finding for an answered case is refused. */
export async function deliverSealedFinding(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  caseId: string,
  { finding, files, uploader, seq = 0, undoMs = 0, investigator = null }: SealedFinding,
): Promise<Case> {
  const fits =
    ENVELOPE_SIZES.includes(finding.length) &&
    countRecipients(finding) === 1 &&
    files.length <= MAX_FINDING_FILES &&
    files.every(({ size }) => isSealedFileSize(size, MAX_FINDING_FILE_BYTES));
  if (!fits) throw new ServiceError('not_sealed');
  return await store.transaction(async (records) => {
    const now = clock.now();
    const { record, objects } = await requireListedCase({ ...store, records }, caseId, null, now);
    const earlier = objects.find(({ kind }) => kind === 'finding.v1');
    if (earlier && (await matchesStoredObject(records, earlier.id, finding))) return record;
    const claim = await requireClaim(records, record, investigator);
    const releasedAt = computeReleaseTime(record, now, undoMs);
    const answer = requireAnswer(record, 'deliver', { releasedAt, now });
    // The number of a finding that was taken back is never reused.
    if (seq !== record.finding_seq) throw new ServiceError('case_changed');
    // The time of the act, not of the release: the finding does not answer what the buyer writes from now on.
    const place = { caseId, now };
    const object = { id: generateId(), kind: 'finding.v1', seq, bytes: finding, now } as const;
    const acts = [{ by: investigator, act: 'deliver', subject: { kind: 'case', id: caseId } }] as const;
    const changes = { ...claim, ...answer };
    const delivered = await addToCase(records, object, { record, changes, acts, now });
    for (const [index, { id, size }] of files.entries()) {
      if ((await computeObjectSize(records, id)) !== size) throw new ServiceError('upload_incomplete');
      const fileSeq = toFindingFileSeq(seq, index);
      const position = { kind: 'finding-file.v1', seq: fileSeq, size, ...place } as const;
      if (!(await bindObject(records, { id, uploader }, position)))
        throw new ServiceError('upload_incomplete');
    }
    return await updateNextTimes(records, delivered);
  });
}

/**
 * Takes back a finding or a decline. The next finding gets the next number, so that the previous one cannot be passed
 * off as the new one; the next message gets the number of the decline, because a gap would look like a lost message.
 */
export async function takeBackAnswer(
  services: Pick<Services, 'clock' | 'store'>,
  id: string,
  investigator: string | null = null,
): Promise<Case> {
  const audited = { by: investigator, act: 'take_back' } as const;
  const changed = await applyAuditedChange(services, id, audited, async (records, record) => {
    const { state, state_on_hold: shown, finding_seq: seq } = record;
    if (state !== 'delivered' && state !== 'declined')
      throw createStateRefusal('There is nothing to take back.');
    if (!isAnswerOnHold(record, services.clock.now()) || (await isReleased(records, record)))
      throw createStateRefusal('The buyer can already read it, so it can no longer be taken back.');
    const next = state === 'delivered' ? seq + 1 : seq;
    if (next >= MAX_FINDINGS)
      throw createStateRefusal(`A finding can be taken back ${MAX_FINDINGS - 1} times, which was done.`);
    if (state === 'declined') {
      await forgetOthersDecline(records, record);
      await deleteCaseRefund(records, id);
    }
    const restored = state === 'delivered' ? 'in_progress' : (shown ?? 'in_progress');
    const changes = { state: restored, purge_at: null, finding_seq: next } as const;
    return await discardAnswer(records, record, changes, services.clock.now());
  });
  // The answer is already taken back; the sweep deletes whatever is left.
  await deleteDiscardedObjects(services).catch(() => undefined);
  return changed;
}

/** A clock that has since gone back must not hide that the buyer may have read the answer. */
async function isReleased(records: Records, { released_at: at }: Case): Promise<boolean> {
  const lastSeen = await findLastSeenTime(records);
  return lastSeen !== undefined && at !== null && lastSeen.seen_at >= at;
}
