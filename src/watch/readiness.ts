/** Reports whether the service can do its work now, check by check. */
import { setTimeout as sleep } from 'node:timers/promises';
import { requireCurrentRecipientSet } from '#cases/sealing/recipient-set.ts';
import { formatEngineCode } from '#platform/database-codes.ts';
import { SECOND_MS } from '#platform/durations.ts';
import type { Services } from '#services.ts';
import { findMasterKeyFault } from '#store/keys/master-keys.ts';

/** A check's time limit; load balancers do not wait much longer. */
const CHECK_MS = 2 * SECOND_MS;
/** The first comparison on PostgreSQL creates all tables and rolls back. */
const TABLES_MS = 10 * SECOND_MS;

interface ReadinessCheck {
  readonly name: 'stopping' | 'database' | 'tables' | 'writes' | 'clock' | 'sealing_keys' | 'master_keys';
  readonly ok: boolean;
  readonly ageMs: number;
  readonly failure?: unknown;
  /** Why it failed, if that is known without an error. */
  readonly reason?: string | undefined;
}

type Checked = Pick<Services, 'drain' | 'store' | 'clockGuard' | 'keyring' | 'sealingKeys'>;

/** Writes nothing: otherwise any caller could make the service write. */
export async function checkReadiness(services: Checked): Promise<readonly ReadinessCheck[]> {
  const { drain, store, keyring, sealingKeys } = services;
  if (drain.isDraining()) return [{ name: 'stopping', ok: false, ageMs: 0 }];
  const database = await runCheck('database', CHECK_MS, () => store.ping().then(() => null));
  // If the database does not answer, do not wait for it again.
  if (!database.ok) return [database, ...checkWithoutDatabase(services)];
  const [tables, keys, masterKeys] = await Promise.all([
    runCheck('tables', TABLES_MS, async () => (await store.listMissingColumns()).join(', ')),
    // No case can be stored without sealing keys, or with keys that the records no longer use.
    runCheck('sealing_keys', CHECK_MS, async () => {
      const { set } = await sealingKeys;
      await requireCurrentRecipientSet(store.records, set, set);
      return null;
    }),
    // With a different master key, other instances would not find what this one seals.
    runCheck('master_keys', CHECK_MS, async () =>
      (await findMasterKeyFault(store.records, keyring)) === null ? null : 'other_key',
    ),
  ]);
  return [database, tables, keys, masterKeys, ...checkWithoutDatabase(services)];
}

function checkWithoutDatabase({ store, clockGuard }: Checked): readonly ReadinessCheck[] {
  const alarm = clockGuard.getAlarm();
  return [
    { name: 'writes', ...store.readLastWrite() },
    // A case that is sent now would get a wrong due time.
    { name: 'clock', ok: alarm === null, ageMs: 0, reason: alarm?.reason },
  ];
}

/** For probes; a drain waits until they have seen the result. */
export async function reportReadiness(services: Checked) {
  const checks = await checkReadiness(services);
  const report = buildReadinessReport(checks);
  services.drain.noteProbe(report.checks.find(({ ok }) => !ok) ?? null);
  return report;
}

/** For the operator: names and numbers, but no error messages. */
export function buildReadinessReport(checks: readonly ReadinessCheck[]) {
  return {
    status: checks.every(({ ok }) => ok) ? 'ready' : 'not_ready',
    checks: checks.map(({ name, ok, ageMs, failure, reason: known }) => {
      const reason = known ?? formatEngineCode(failure);
      return { name, ok, age_seconds: Math.round(ageMs / SECOND_MS), ...(reason && { reason }) };
    }),
  } as const;
}

/** `work` returns why the check failed, or nothing if it passed. */
async function runCheck(
  name: ReadinessCheck['name'],
  limitMs: number,
  work: () => Promise<string | null>,
): Promise<ReadinessCheck> {
  const timeout = sleep(limitMs, undefined, { ref: false }).then(() => {
    throw new Error('no answer in time');
  });
  try {
    const reason = (await Promise.race([work(), timeout])) || undefined;
    return { name, ok: reason === undefined, ageMs: 0, reason };
  } catch (failure) {
    return { name, ok: false, ageMs: 0, failure };
  }
}
