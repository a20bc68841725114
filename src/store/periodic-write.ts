/** What an instance writes with each sweep: proof that it can write, the generation, and its lease as the leader. */
import { type Kysely, sql } from 'kysely';
import { HOUR_MS, SECOND_MS } from '#platform/durations.ts';
import { generateId } from '#platform/text/ids.ts';
import type { DatabaseEngine } from './engine/engine.ts';
import { updateRows } from './engine/selected-rows.ts';
import { createMismatch } from './keys/installation.ts';
import type { Tables } from './schema/tables.ts';

/** After this many sweeps the last write counts as failed, because a hung task never fails; its lease has ended too. */
const MAX_SWEEPS = 3;
/** A lease that ends later was written while the database's clock was ahead. */
const MAX_LEASE_MS = MAX_SWEEPS * HOUR_MS;
/** On a busy machine, a sweep every second is late now and then. */
const MIN_LEASE_MS = 15 * SECOND_MS;

interface LastWrite {
  /** False if the last try failed, or if none has succeeded for three sweeps. */
  readonly ok: boolean;
  /** Since the last successful write or, before the first, since the store was opened. */
  readonly ageMs: number;
  /** Why the last try failed. */
  readonly failure: unknown;
}

export interface PeriodicWrite {
  /** Rejects if nothing can be written. */
  readonly tryWrite: () => Promise<void>;
  /** Tries again only if the last try failed; a further failure is ignored. */
  readonly retryFailedWrite: () => Promise<void>;
  readonly readLastWrite: () => LastWrite;
  /** Whether this instance does the work that only one has to do; two leaders for a moment do no harm. */
  readonly leads: () => boolean;
  /** Lets another instance lead from its next sweep, without waiting until the lease of this one ends. */
  readonly resign: () => Promise<void>;
}

interface PeriodicWriteOptions extends Pick<DatabaseEngine, 'timeQuery'> {
  readonly records: Kysely<Tables>;
  /** Waits for other writers: a busy database is not a full disk. */
  readonly advance: () => Promise<void>;
  readonly sweepSeconds: number;
}

export function createPeriodicWrite(options: PeriodicWriteOptions): PeriodicWrite {
  const { records, timeQuery, advance, sweepSeconds } = options;
  const instance = generateId();
  const leaseMs = Math.max(MAX_SWEEPS * sweepSeconds * SECOND_MS, MIN_LEASE_MS);
  // Not by the system clock, which may jump.
  let workedAt = performance.now();
  // A database without a clock of its own has one service.
  let leadsUntil = timeQuery === null ? Infinity : -Infinity;
  let failed: { readonly failure: unknown } | null = null;

  const write = async () => {
    if (timeQuery !== null) {
      const asked = performance.now();
      leadsUntil = (await claimLease(records, { instance, timeQuery, leaseMs }))
        ? asked + leaseMs
        : -Infinity;
    }
    // An instance that does not lead now knows that the database accepts writes; it leads once the leader cannot write.
    if (leadsUntil > 0) await advance();
  };
  const tryWrite = async () => {
    try {
      await write();
      workedAt = performance.now();
      failed = null;
    } catch (failure) {
      failed = { failure };
      throw failure;
    }
  };
  return {
    tryWrite,
    retryFailedWrite: async () => {
      if (failed) await tryWrite().catch(() => undefined);
    },
    readLastWrite: () => {
      const ageMs = performance.now() - workedAt;
      return { ok: failed === null && ageMs < leaseMs, ageMs, failure: failed?.failure };
    },
    leads: () => performance.now() < leadsUntil,
    resign: async () => {
      if (leadsUntil === Infinity || leadsUntil < performance.now()) return;
      leadsUntil = -Infinity;
      await updateRows(records, 'records_installation', { leader: instance }, { leads_until: 0 });
    },
  };
}

interface LeaseClaim {
  readonly instance: string;
  readonly timeQuery: string;
  readonly leaseMs: number;
}

/** By the database's clock, which all instances share. Writes nothing while another one leads. */
async function claimLease(
  records: Kysely<Tables>,
  { instance, timeQuery, leaseMs }: LeaseClaim,
): Promise<boolean> {
  const now = sql`(${sql.raw(timeQuery)})`;
  const { rows } = await sql<{ leads: boolean; known: boolean }>`
    with claimed as (
      update records_installation set leader = ${instance}, leads_until = ${now} + ${leaseMs}
        where leader = ${instance} or leads_until <= ${now} or leads_until > ${now} + ${MAX_LEASE_MS} returning id)
    select exists (select from claimed) as leads, exists (select from records_installation) as known`.execute(
    records,
  );
  if (!rows[0]?.known) throw createMismatch('the installation id is gone');
  return rows[0].leads;
}
