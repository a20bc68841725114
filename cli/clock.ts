/** The command that accepts a clock with skew, so that purges resume. */
import { systemClock as clock } from '#platform/clock.ts';
import { loadConfig } from '#platform/config/config.ts';
import { MINUTE_MS } from '#platform/durations.ts';
import { toIsoTimeOrNull } from '#platform/text/iso-time.ts';
import { countDueCases } from '#store/cases/cases.ts';
import { acceptClock, createClockGuard, findLastSeenTime } from '#store/clock-guard.ts';
import type { Store } from '#store/store.ts';
import { createWaitingLog, withStore } from './cli-services.ts';
import { createCommand } from './command.ts';
import { getIo } from './terminal/io.ts';
import { formatCount, formatPairs, formatTimeOrDash } from './terminal/table.ts';
import { requireConfirmation } from './terminal/typed-text.ts';

/** Shorter than any jump that a service distrusts: a service that stored a time this recently trusts its clock. */
const RECENT_MS = 5 * MINUTE_MS;

const NOTHING_TO_ACCEPT =
  'There is no clock skew to accept. If a service still reports clock skew, add --yes.\n';

export const acceptClockCommand = createCommand({
  usage: 'clock accept [--yes]',
  about: `Accept the clock of this machine despite clock skew, so that purges resume.
Shows it beside the last seen time of the service and, on PostgreSQL, the time of the database, and asks; if they agree, nothing is accepted. A service whose own clock is wrong still reports clock skew.`,
  options: [['--yes', 'do not ask; accept it even if this machine sees no clock skew']],
  work: async ({ yes }) =>
    await withStore(async ({ store }) => {
      const { sweepSeconds } = loadConfig(getIo().env);
      const times = await compareClocks(store);
      if (!yes && (await isBelieved(store, times)))
        return { text: NOTHING_TO_ACCEPT, json: toAcceptanceJson(times, null) };
      const pairs = formatPairs([
        ['This machine', formatTimeOrDash(times.clock)],
        ['Last seen', formatTimeOrDash(times.lastSeen)],
        ['Database', formatTimeOrDash(times.database)],
        ['Due for purge', formatCount(times.due, 'cases')],
      ]);
      if (!yes) {
        getIo().stderr.write(pairs);
        const question =
          'Is the time of this machine right? Purges cannot be undone. Type accept to continue: ';
        await requireConfirmation(question, 'accept', 'nothing was accepted');
      }
      // Reads the clock again: the prompt may have been open for hours.
      const accepted = clock.now();
      await acceptClock(store, accepted);
      return {
        text: `${yes ? pairs : ''}Accepted. The service resumes within ${formatCount(sweepSeconds, 'seconds')} (SWEEP_SECONDS), and purges what is due.\n`,
        json: toAcceptanceJson(times, accepted),
      };
    }),
});

type ClockTimes = Awaited<ReturnType<typeof compareClocks>>;

/** Whether services trust the clock. One that saw it jump stores no more times; the records do not show why. */
async function isBelieved(store: Store, { clock: shown, lastSeen }: ClockTimes): Promise<boolean> {
  if (lastSeen === null || Math.abs(shown - lastSeen) > RECENT_MS) return false;
  return (await createClockGuard({ clock, store, log: createWaitingLog() }).readTrustedTime()) !== null;
}

function toAcceptanceJson({ lastSeen, database, due }: ClockTimes, accepted: number | null) {
  return {
    accepted_at: toIsoTimeOrNull(accepted),
    noted_at: toIsoTimeOrNull(lastSeen),
    database_at: toIsoTimeOrNull(database),
    due_cases: due,
  };
}

async function compareClocks(store: Store) {
  const now = clock.now();
  return {
    clock: now,
    lastSeen: (await findLastSeenTime(store.records))?.seen_at ?? null,
    database: await store.readDatabaseTime(),
    due: await countDueCases(store.records, now),
  };
}
