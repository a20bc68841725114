/** Purges what is due: first the shred key, then every piece, then the case; only a tombstone is left. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { type Log, toErrorTrace } from '#platform/log.ts';
import { cutToDay } from '#platform/text/day.ts';
import { generateId } from '#platform/text/ids.ts';
import { giveWay, repeatInTurns } from '#platform/turns.ts';
import type { CaseActor } from '#seal/case/message.ts';
import type { Services } from '#services.ts';
import { appendAuditEntry } from '#store/audit-log.ts';
import { type Case, listMarkedCases, markCaseForPurge, markCasesForPurge } from '#store/cases/cases.ts';
import { deleteCaseObjects, PIECES_AT_ONCE } from '#store/cases/object-deletion.ts';
import { clearTombstoneLookups, findPurgingCase, replaceByTombstone } from '#store/cases/tombstones.ts';
import { deleteUser } from '#store/clients/users.ts';
import { findLastSeenTime } from '#store/clock-guard.ts';
import { type DueName, deleteExpiredRows, findDueRows } from '#store/due-work.ts';
import { runInBatches } from '#store/engine/batches.ts';
import type { Records } from '#store/schema/tables.ts';
import { PURGE_WAIT_HOURS } from '#wire/keep-days.ts';
import { deriveWordsUserTag } from '../access.ts';
import { enqueuePurgedEvent } from '../case-events.ts';
import { toDeliveryUploader } from '../delivery.ts';
import { applyAuditedChange } from '../desk/audited-change.ts';
import { recordOthersCase } from '../desk/desk-digest.ts';
import { listCountsOf } from '../desk/week-counts.ts';
import { deleteDiscardedObjects } from '../intake/uploads.ts';
import { keepReleased, toBuyerView } from '../messages/buyer-view.ts';
import { deriveCaseUploader } from '../messages/message-files.ts';
import { enqueueLastNotice } from '../notices/notice-times.ts';
import {
  createStateRefusal,
  ENDED_STATES,
  requireCase,
  requireCaseState,
  updatePurgeTime,
} from '../states.ts';
import { TOMBSTONE_DAYS } from './retention.ts';

type CaseServices = Pick<Services, 'clock' | 'store'>;

const BATCH = 50;

type PurgeServices = Pick<Services, 'clock' | 'keyring' | 'store'>;

/** What is deleted by date. */
const purgers = {
  cases: (services, log) =>
    purgeCases(services, log, (records, limit) => markCasesForPurge(records, services.clock.now(), limit)),
  'contact messages': purgeContactMessages,
  tombstones: ({ clock, store }) =>
    runInBatches(store, (records, limit) => clearTombstoneLookups(records, clock.now(), limit)),
  refunds: ({ clock, store }) =>
    runInBatches(store, (records, limit) => deleteExpiredRows(records, 'refunds', clock.now(), limit)),
} satisfies Partial<Record<DueName, (services: PurgeServices, log: Log) => Promise<void>>>;
const DATED = Object.keys(purgers) as (keyof typeof purgers)[];

/** Its run purges everything that is due now; while there is clock skew, it only finishes purges that have begun. */
export function createPurger(services: PurgeServices & Pick<Services, 'clockGuard'>, log: Log) {
  const { clock, clockGuard, store } = services;
  const attempt = (work: () => Promise<void>) =>
    work().catch((error: unknown) => log.event('task_failed', { task: 'purge', ...toErrorTrace(error) }));
  /** An untrusted clock must not date what stays: the tombstone and the last e-mail. */
  const finishPurges = async (trusted: number | null) => {
    const at = trusted ?? (await findLastSeenTime(store.records))?.seen_at ?? clock.now();
    await purgeCases({ ...services, clock: { now: () => at } }, log, listMarkedCases);
  };
  const purgeDue = async () => {
    const now = await clockGuard.readTrustedTime();
    const names = [...DATED, 'purges begun', 'discarded'] as const;
    const due = await findDueRows(store.records, names, { now: now ?? clock.now() });
    // Whatever the date: these cases can no longer be read.
    if (due.has('purges begun')) await attempt(() => finishPurges(now));
    const dated = now === null ? null : { ...services, clock: { now: () => now } };
    for (const name of DATED) if (dated && due.has(name)) await attempt(() => purgers[name](dated, log));
    // Whatever the date: these objects were removed from their case, which may no longer exist.
    if (due.has('discarded')) await attempt(() => deleteDiscardedObjects(services));
  };
  return {
    run: async () => {
      await attempt(purgeDue);
      // Always: a process that died or purged a case at once may have left deleted pages behind.
      await attempt(() => store.erase());
    },
  };
}

/**
 * Purges an ended case before its date. The next run erases the deleted pages. A buyer sees it happen and gets no
 * e-mail about it; at the desk, only owners may do it.
 */
export async function purgeCaseNow(
  services: PurgeServices,
  id: string,
  by: CaseActor = 'buyer',
  investigator: string | null = null,
): Promise<void> {
  const { clock, store } = services;
  const now = clock.now();
  const marked =
    by === 'buyer'
      ? await store.transaction(
          (records) => markCaseForPurge(records, id, { states: ENDED_STATES, now }),
          'one statement',
        )
      : await store.transaction(async (records) => {
          const asked = { states: ENDED_STATES, now, by: investigator };
          const record = await markCaseForPurge(records, id, asked);
          if (record)
            await recordOthersCase(records, record, { by: investigator, act: 'purge_now', at: now });
          return record;
        });
  if (!marked) throw await explainRefusal(store.records, id, now);
  await destroyShredKeys(store, [id]);
  await purgeCase(services, marked);
  await deleteDiscardedObjects(services);
}

async function explainRefusal(records: Records, id: string, now: number): Promise<ServiceError> {
  // Whatever its date: a case whose date has passed may be waiting for clock skew to end.
  requireCaseState(toBuyerView(await requireCase(records, id, 0), now), ENDED_STATES);
  return new ServiceError('case_changed');
}

/** `take` marks the cases that it returns. */
async function purgeCases(
  services: PurgeServices,
  log: Log,
  take: (records: Records, limit: number) => Promise<Case[]>,
): Promise<void> {
  const { clock, store } = services;
  for (;;) {
    const due = await runBatch(store, BATCH, take);
    const now = clock.now();
    const ids = due.map(({ id }) => id);
    await destroyShredKeys(store, ids);
    const purged = await Array.fromAsync(due, (record) => purgeCaseOrLog(services, log, record));
    const lag = Math.max(0, ...due.map(({ purge_at: at }) => now - (at ?? now)));
    const cases = purged.filter(Boolean).length;
    if (cases > 0) log.event('purged', { cases, lag_s: Math.round(lag / 1_000) });
    // Nothing is due, or none could be purged and the next batch would be the same. A full disk makes batches small.
    if (cases === 0) return;
    await giveWay();
  }
}

/** A separate transaction: the mark is committed before the key is destroyed, and the key before rows are deleted. */
async function destroyShredKeys(store: Services['store'], ids: readonly string[]): Promise<void> {
  await store.transaction((records) => store.shredKeys.destroy(records, ids), 'one statement');
}

/** One case that cannot be purged must not hold up the others. */
async function purgeCaseOrLog(services: PurgeServices, log: Log, record: Case): Promise<boolean> {
  try {
    await giveWay();
    return await purgeCase(services, record);
  } catch (error) {
    log.event('task_failed', { task: 'purge a case', ...toErrorTrace(error) });
    return false;
  }
}

/** The shred key is already destroyed. Returns false if another process purged the case. */
async function purgeCase(services: PurgeServices, record: Case): Promise<boolean> {
  for (;;) {
    const purged = await runBatch(services.store, PIECES_AT_ONCE, (records, limit) =>
      purgeCaseInPart(services, records, record, limit),
    );
    if (purged !== null) return purged;
    await giveWay();
  }
}

/** Null while there may be more pieces. */
async function purgeCaseInPart(
  { clock, keyring }: PurgeServices,
  records: Records,
  record: Case,
  limit: number,
): Promise<boolean | null> {
  const { id } = record;
  const wordsTag = deriveWordsUserTag(keyring, record.words_tag);
  const purged = { id, uploaders: [toDeliveryUploader(id), deriveCaseUploader(keyring, id)] };
  const found = await findPurgingCase(records, purged, { wordsTag, limit });
  if (!found) return false;
  if (found.pieces === limit) {
    await deleteCaseObjects(records, purged, limit);
    return null;
  }
  // After the purge, the buyer could no longer sign in with the words to revoke consents.
  if (found.user_id !== null) await deleteUser(records, found.user_id);
  await replaceByTombstone(records, purged, buildTombstone(record, clock.now()), listCountsOf(record));
  await enqueueLastNotice(records, record, clock.now());
  const { client_ciphertext: ciphertext } = found;
  await enqueuePurgedEvent(records, keyring, { subject: id, ciphertext }, clock.now());
  // The only entry that remains says who requested the purge, and its day, but not which case.
  if (record.kept_until !== null)
    await appendAuditEntry(records, { by: record.purge_by, act: 'purge' }, cutToDay(clock.now()));
  return true;
}

function buildTombstone({ tier, state, lookup_hash }: Case, now: number) {
  const day = new Date(now).toISOString().slice(0, 10);
  return {
    id: generateId(),
    tier,
    month: day.slice(0, 7),
    outcome: state,
    lookup_hash,
    purged_on: day,
    forget_at: now + TOMBSTONE_DAYS * DAY_MS,
  };
}

async function purgeContactMessages({ clock, store }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  const deleteDue = (records: Records, limit: number) =>
    deleteExpiredRows(records, 'contact messages', clock.now(), limit);
  await repeatInTurns(async () => (await runBatch(store, BATCH, deleteDue)) > 0);
}

/** Deleting needs room in the write-ahead log too: on a full disk, empties the log and takes the smallest step. */
async function runBatch<Result>(
  store: Services['store'],
  limit: number,
  work: (records: Records, limit: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await store.transaction((records) => work(records, limit));
  } catch (error) {
    if (!store.translate(error)) throw error;
    await store.erase();
    return await store.transaction((records) => work(records, 1));
  }
}

/** The new date is never later than the date that the case already has. The buyer is shown it. */
export async function requestPurge(services: CaseServices, id: string, investigator: string): Promise<Case> {
  const audited = { by: investigator, act: 'purge' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    if (record.kept_until !== null) throw createStateRefusal('A purge of this case was asked for already.');
    const now = services.clock.now();
    const latest = now + PURGE_WAIT_HOURS * HOUR_MS;
    const at = Math.min(latest, record.purge_at ?? latest);
    const asked = { ...keepReleased(record, now), kept_until: record.purge_at, purge_by: investigator };
    const changed = await updatePurgeTime(records, record, at, now, asked);
    await recordOthersCase(records, record, { ...audited, at: now });
    return changed;
  });
}

/** Restores the previous date. A case that a sweep has marked is no longer found. */
export async function undoPurge(
  services: CaseServices,
  id: string,
  investigator: string | null,
): Promise<Case> {
  const audited = { by: investigator, act: 'undo_purge' } as const;
  return await applyAuditedChange(services, id, audited, async (records, record) => {
    if (record.kept_until === null) throw createStateRefusal('There is no purge to undo.');
    return await updatePurgeTime(records, record, record.kept_until, services.clock.now());
  });
}
