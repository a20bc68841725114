/** The command that reports to cron and monitors whether a case is due or late. */
import { countCasesByClock, DUE_SOON_HOURS } from '#cases/desk/desk-alerts.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { withStore } from '../cli-services.ts';
import { createCommand, createUsageFailure } from '../command.ts';

const MAX_HOURS = 1_000;
/** The exit codes that monitors read as a warning and a critical state. */
const DUE_CODE = 1;
const LATE_CODE = 2;

export const countCasesByClockCommand = createCommand({
  usage: 'cases due [--within HOURS]',
  about: `Report in one line whether cases are due or late. No key is needed.
Exit code 0: none; ${DUE_CODE}: at least one is due within HOURS; ${LATE_CODE}: at least one is late.`,
  options: [['--within HOURS', `from 1 to ${MAX_HOURS} (default ${DUE_SOON_HOURS})`]],
  work: async ({ within = String(DUE_SOON_HOURS) }) => {
    const hours = parseHours(within);
    return await withStore(async ({ clock, store }) => {
      const { due, late } = await countCasesByClock(store.records, clock.now(), hours * HOUR_MS);
      return {
        text: `Late: ${late}. Due within ${hours} hours: ${due}.\n`,
        json: { late, due, within_hours: hours },
        exitCode: late > 0 ? LATE_CODE : due > 0 ? DUE_CODE : 0,
      };
    });
  },
});

function parseHours(text: string): number {
  const hours = Number(text);
  if (!/^\d+$/.test(text) || hours < 1 || hours > MAX_HOURS)
    throw createUsageFailure(`--within takes a number of hours from 1 to ${MAX_HOURS}`);
  return hours;
}
