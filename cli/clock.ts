/** The command that accepts a clock in doubt, so that what is due is purged again. */
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { toIsoTime, toIsoTimeOrNull } from '#platform/iso-time.ts';
import { countDueCases } from '#store/cases.ts';
import { acceptClock, findClockNote } from '#store/clock-notes.ts';
import { formatTimeOrDash } from './case-facts.ts';
import { type CliServices, withStore } from './cli-services.ts';
import { createCommand } from './command.ts';
import { askConfirmation } from './confirmation.ts';
import { CommandFailure } from './failure.ts';
import { formatPairs } from './table.ts';

export const acceptClockCommand = createCommand({
  usage: 'clock accept [--yes]',
  about: `Accept the clock of this machine after an alarm, so that cases are purged again.
Shows it beside the time that the service last noted. A service whose own clock differs stays in doubt.`,
  help: [['--yes', 'do not ask for confirmation']],
  options: { yes: { type: 'boolean' } },
  operands: 0,
  work: async ({ yes }) =>
    await withStore(async (services) => {
      const times = await compareClocks(services);
      const pairs = formatPairs([
        ['This machine', formatTimeOrDash(times.clock)],
        ['Last noted', formatTimeOrDash(times.noted)],
        ['Database', formatTimeOrDash(times.database)],
        ['Due for purge', times.due === 1 ? '1 case' : `${times.due} cases`],
      ]);
      if (!yes) {
        process.stderr.write(pairs);
        const question =
          'Is the time of this machine right? Purges cannot be undone. Type accept to continue: ';
        if (!(await askConfirmation(question, 'accept')))
          throw new CommandFailure('Not confirmed, so nothing was accepted.', EXIT_CODES.failure);
      }
      // Read again: the question may have waited for hours.
      const accepted = services.clock.now();
      await acceptClock(services.store, accepted);
      return {
        text: `${yes ? pairs : ''}Accepted. The service purges what is due within its next sweep.\n`,
        json: {
          accepted_at: toIsoTime(accepted),
          noted_at: toIsoTimeOrNull(times.noted),
          database_at: toIsoTimeOrNull(times.database),
          due_cases: times.due,
        },
      };
    }),
});

async function compareClocks({ clock, store }: CliServices) {
  const now = clock.now();
  return {
    clock: now,
    noted: (await findClockNote(store.records))?.noted_at ?? null,
    database: await store.readDatabaseTime(),
    due: await countDueCases(store.records, now),
  };
}
