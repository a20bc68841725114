/** Purges what is due: the shred key first, then every piece, then the case; what is left is a tombstone. */
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/ids.ts';
import { type Log, toErrorTrace } from '#platform/log.ts';
import type { Services } from '#services.ts';
import { type Case, deleteCase, hasCase, markCasesForPurge, updateCaseIfUnchanged } from '#store/cases.ts';
import { deleteDueContactMessages } from '#store/contact-messages.ts';
import { deleteIdempotencyKeysForRecord } from '#store/idempotent-request.ts';
import { deleteCaseObjectPieces, deleteCaseObjects } from '#store/objects.ts';
import {
  bindShredKey,
  deleteShredKeys,
  listBoundShredKeys,
  listUnboundShredKeys,
} from '#store/shred-keys.ts';
import { clearTombstoneLookups, insertTombstone } from '#store/tombstones.ts';
import { deleteUserByWordsTag } from '#store/users.ts';
import { TOMBSTONE_DAYS } from './retention.ts';
import { makePurgeDue, requireCase } from './states.ts';

const BATCH = 50;
/** 4 MiB at a time: deleting overwrites, and others wait meanwhile. */
const PIECES = 16;
/** An opening takes seconds; a key that is older and has no case never gets one. */
const OPENING_MS = HOUR_MS;

export interface Purger {
  /** One look: purges all that is due now. */
  readonly run: () => Promise<void>;
}

export function createPurger(services: Pick<Services, 'clock' | 'store'>, log: Log): Purger {
  let first = true;
  return {
    run: async () => {
      const { clock, store } = services;
      const parts = [
        () => purgeDueCases(services, log),
        () => purgeContactMessages(services),
        () => shredOrphanKeys(services),
        ...(first ? [() => shredRestoredKeys(services)] : []),
        () => clearTombstoneLookups(store.records, clock.now()),
        // Always: a process that died, or one that was asked to purge at once, may have left deleted pages behind.
        () => store.erase(),
      ];
      first = false;
      for (const part of parts)
        await part().catch((error: unknown) =>
          log.event('task_failed', { task: 'purge', ...toErrorTrace(error) }),
        );
    },
  };
}

/** For who does not want to wait: the case must have ended. Its deleted pages are erased with the next purge. */
export async function purgeCaseNow(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  id: string,
): Promise<void> {
  const marked = await store.transaction(async (records) => {
    const found = await requireCase(records, id);
    return await updateCaseIfUnchanged(records, await makePurgeDue(records, found, clock.now()), {
      purging: 1,
    });
  });
  if (!marked) throw new ServiceError('case_changed');
  await deleteShredKeys(store.shredKeys, [id]);
  await purgeCase({ clock, store }, marked);
}

async function purgeDueCases(services: Pick<Services, 'clock' | 'store'>, log: Log): Promise<void> {
  const { clock, store } = services;
  for (;;) {
    const now = clock.now();
    const due = await store.transaction((records) => markCasesForPurge(records, now, BATCH));
    const ids = due.map(({ id }) => id);
    await deleteShredKeys(store.shredKeys, ids);
    const gone = await Array.fromAsync(due, (each) => purgeCaseOrLog(services, log, each));
    const lag = Math.max(0, ...due.map(({ purge_at: at }) => now - (at ?? now)));
    const cases = gone.filter(Boolean).length;
    if (cases > 0) log.event('purged', { cases, lag_s: Math.round(lag / 1_000) });
    // Where none could be taken away the same would come again.
    if (due.length < BATCH || cases === 0) return;
  }
}

/** One case that cannot be purged must not hold up the others. */
async function purgeCaseOrLog(
  services: Pick<Services, 'clock' | 'store'>,
  log: Log,
  found: Case,
): Promise<boolean> {
  try {
    return await purgeCase(services, found);
  } catch (error) {
    log.event('task_failed', { task: 'purge a case', ...toErrorTrace(error) });
    return false;
  }
}

/** Its key is gone already; false if another process took it away. */
async function purgeCase({ clock, store }: Pick<Services, 'clock' | 'store'>, found: Case): Promise<boolean> {
  const { id } = found;
  while (await store.transaction((records) => deleteCaseObjectPieces(records, id, PIECES)));
  return await store.transaction(async (records) => {
    await deleteCaseObjects(records, id);
    await deleteIdempotencyKeysForRecord(records, id);
    if (!(await deleteCase(records, id))) return false;
    await deleteUserByWordsTag(records, found.words_tag);
    await insertTombstone(records, buildTombstone(found, clock.now()));
    return true;
  });
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

async function purgeContactMessages({ clock, store }: Pick<Services, 'clock' | 'store'>): Promise<number> {
  for (let total = 0; ; ) {
    const gone = await store.transaction((records) => deleteDueContactMessages(records, clock.now(), BATCH));
    total += gone;
    if (gone < BATCH) return total;
  }
}

/** The two files do not commit together: a key may be there without its case, never the other way round. */
async function shredOrphanKeys({ clock, store }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  const before = clock.now() - OPENING_MS;
  for (;;) {
    const ids = await listUnboundShredKeys(store.shredKeys, before, BATCH);
    for (const id of ids) {
      if (await hasCase(store.records, id)) await bindShredKey(store.shredKeys, id);
      else await deleteShredKeys(store.shredKeys, [id]);
    }
    if (ids.length < BATCH) return;
  }
}

/** A key that came back: a power cut may undo its deletion, but not that of the case. Looked for once, at the start. */
async function shredRestoredKeys({ store }: Pick<Services, 'store'>): Promise<void> {
  for (let after = ''; ; ) {
    const ids = await listBoundShredKeys(store.shredKeys, after, BATCH);
    for (const id of ids)
      if (!(await hasCase(store.records, id))) await deleteShredKeys(store.shredKeys, [id]);
    if (ids.length < BATCH) return;
    after = ids.at(-1) ?? '';
  }
}
