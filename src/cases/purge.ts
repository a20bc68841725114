/** Purges what is due: the shred key first, then every piece, then the case; what is left is a tombstone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '#platform/errors.ts';
import { newId } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { type Case, changeCase, deleteCase, isCaseThere, markDueCases } from '#store/cases.ts';
import { deleteDueContactMessages } from '#store/contact-messages.ts';
import { forgetKeysOf } from '#store/idempotency.ts';
import { deleteObjectsOf, deletePiecesOf } from '#store/objects.ts';
import { bindShredKey, shred, unboundShredKeys } from '#store/shred-keys.ts';
import type { Store } from '#store/store.ts';
import { forgetTombstones, insertTombstone } from '#store/tombstones.ts';
import { demandCase, endNow } from './case.ts';
import type { Registry } from './registry.ts';
import { DAY_MS, TOMBSTONE_DAYS } from './retention.ts';

const BATCH = 50;
/** 4 MiB at a time: deleting overwrites, and others wait meanwhile. */
const PIECES = 16;
/** An opening takes seconds; a key that is older and has no case never gets one. */
const OPENING_MS = 60 * 60_000;
const ERASE_TRIES = 25;
const ERASE_PAUSE_MS = 200;

export interface Purger {
  /** One look: purges all that is due now. */
  readonly run: () => Promise<void>;
}

export function createPurger(registry: Registry, log: Log): Purger {
  // At the first look too: a process that died may have left deleted pages behind.
  let toErase = true;
  return {
    run: async () => {
      const { clock, store } = registry;
      const purged = await purgeDueCases(registry, log);
      const messages = await purgeContactMessages(registry);
      await shredOrphans(registry);
      await forgetTombstones(store.records, clock.now());
      toErase ||= purged + messages > 0;
      if (toErase) toErase = !(await store.erase());
    },
  };
}

/** For who does not want to wait: the case must have ended. False if its deleted pages are left to the next purge. */
export async function purgeAtOnce(
  { clock, store }: Pick<Registry, 'clock' | 'store'>,
  id: string,
): Promise<boolean> {
  const marked = await store.transaction(async (records) => {
    const found = await demandCase(records, id);
    return await changeCase(records, await endNow(records, found, clock.now()), { purging: 1 });
  });
  if (!marked) throw new ServiceError('case_changed');
  await shred(store.shredKeys, [id]);
  await purgeCase({ clock, store }, marked);
  return await erasePatiently(store);
}

/** Another process may be reading just now. */
async function erasePatiently(store: Store): Promise<boolean> {
  for (let tries = 0; tries < ERASE_TRIES; tries += 1) {
    if (await store.erase()) return true;
    await sleep(ERASE_PAUSE_MS);
  }
  return false;
}

async function purgeDueCases({ clock, store }: Registry, log: Log): Promise<number> {
  let count = 0;
  for (;;) {
    const now = clock.now();
    const due = await store.transaction((records) => markDueCases(records, now, BATCH));
    await shred(
      store.shredKeys,
      due.map(({ id }) => id),
    );
    const lag = Math.max(0, ...due.map(({ purge_at: at }) => now - (at ?? now)));
    for (const each of due) if (await purgeCase({ clock, store }, each)) count += 1;
    if (due.length > 0) log.event('purged', { cases: due.length, lag_s: Math.round(lag / 1_000) });
    if (due.length < BATCH) return count;
  }
}

/** Its key is gone already; false if another process took it away. */
async function purgeCase({ clock, store }: Pick<Registry, 'clock' | 'store'>, found: Case): Promise<boolean> {
  const { id } = found;
  while (await store.transaction((records) => deletePiecesOf(records, id, PIECES)));
  return await store.transaction(async (records) => {
    await deleteObjectsOf(records, id);
    await forgetKeysOf(records, id);
    if (!(await deleteCase(records, id))) return false;
    await insertTombstone(records, tombstoneOf(found, clock.now()));
    return true;
  });
}

function tombstoneOf({ tier, state, lookup_hash }: Case, now: number) {
  const day = new Date(now).toISOString().slice(0, 10);
  return {
    id: newId(),
    tier,
    month: day.slice(0, 7),
    outcome: state,
    lookup_hash,
    purged_on: day,
    forget_at: now + TOMBSTONE_DAYS * DAY_MS,
  };
}

async function purgeContactMessages({ clock, store }: Registry): Promise<number> {
  for (let total = 0; ; ) {
    const gone = await store.transaction((records) => deleteDueContactMessages(records, clock.now(), BATCH));
    total += gone;
    if (gone < BATCH) return total;
  }
}

/** The two files do not commit together: a key may be there without its case, never the other way round. */
async function shredOrphans({ clock, store }: Registry): Promise<void> {
  const before = clock.now() - OPENING_MS;
  for (;;) {
    const ids = await unboundShredKeys(store.shredKeys, before, BATCH);
    for (const id of ids) {
      if (await isCaseThere(store.records, id)) await bindShredKey(store.shredKeys, id);
      else await shred(store.shredKeys, [id]);
    }
    if (ids.length < BATCH) return;
  }
}
