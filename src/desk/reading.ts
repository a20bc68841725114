/** Every reading of a case by the desk leaves an entry in the audit log, one for each visit. */
import { recordCaseReading } from '#cases/audited-change.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { listAuditEntries } from '#store/audit-log.ts';
import type { DeskServices } from './desk-services.ts';
import type { Investigator } from './guard.ts';

/** A desk reads a case again before it writes, and a file in hundreds of pieces. */
const VISIT_MS = 10 * MINUTE_MS;

/** Before anything of the case is given out. */
export async function recordVisit(
  services: Pick<DeskServices, 'clock' | 'store'>,
  id: string,
  { holder }: Pick<Investigator, 'holder'>,
): Promise<void> {
  const [last] = await listAuditEntries(services.store.records, { subjectId: id, limit: 1 });
  if (last?.entry && isOwnAndRecent(last.entry, holder, services.clock.now())) return;
  await recordCaseReading(services, id, holder);
}

/** What cannot be read counts as somebody else's. */
function isOwnAndRecent(entry: string, holder: string, now: number): boolean {
  try {
    const { by, at, act } = JSON.parse(entry) as Readonly<Record<string, unknown>>;
    const age = now - Date.parse(String(at));
    // Sealing every case again is no visit to any of them.
    return by === holder && act !== 'reseal' && age >= 0 && age < VISIT_MS;
  } catch {
    return false;
  }
}
