/** Steps of a case that need no key: taking it up, the call, how long it is kept, and its end. */
import { purgeAtOnce } from '#cases/purge.ts';
import { KEEP_DAYS } from '#cases/retention.ts';
import { callSteps, demandCase, keepFor, move, moveCall } from '#cases/states.ts';
import { EXIT } from '#platform/errors.ts';
import type { Case } from '#store/cases.ts';
import type { Records } from '#store/tables.ts';
import { factsReport, stepReport } from './case-facts.ts';
import { command, demanded, misuse, type Report } from './command.ts';
import { confirmed } from './confirmation.ts';
import { Failure } from './failure.ts';
import { inOffice, type Office } from './office.ts';

export const takeCase = command({
  usage: 'cases take ID',
  about: 'Take a case up, or up again while it waits for the buyer. No key is needed.',
  options: {},
  operands: 1,
  work: async (_values, [id]) =>
    await inOffice((office) =>
      step(office, demanded(id, 'ID'), 'Taken.', async (records, found) => {
        const act = found.state === 'awaiting_client' ? 'resume' : 'take';
        return await move(records, found, act, 'desk', office.clock.now());
      }),
    ),
});

export const setCall = command({
  usage: 'cases call ID offer|book|hold',
  about: 'Note that the call was offered, booked or held. No key is needed.',
  options: {},
  operands: 2,
  work: async (_values, [id, name]) => {
    const act = callActOf(name);
    return await inOffice(async (office) => {
      const record = await changed(office, demanded(id, 'ID'), (records, found) =>
        moveCall(records, found, act, 'desk'),
      );
      return { ...factsReport(record, office.clock.now()), text: `The call is ${record.call}.\n` };
    });
  },
});

export const retainCase = command({
  usage: `cases retain ID ${KEEP_DAYS.join('|')}`,
  about: 'Set how many days after its delivery a case is kept. No key is needed.',
  options: {},
  operands: 2,
  work: async (_values, [id, text]) => {
    const days = KEEP_DAYS.find((each) => String(each) === text);
    if (days === undefined) throw misuse(`DAYS is one of ${KEEP_DAYS.join(', ')}`);
    return await inOffice((office) =>
      step(office, demanded(id, 'ID'), `Kept for ${days} days after the delivery.`, (records, found) =>
        keepFor(records, found, days),
      ),
    );
  },
});

export const purgeCase = command({
  usage: 'cases purge ID [--yes]',
  about: `Purge a case that has ended, now and for good. No key is needed.
Exported bundles and opened files are beyond its reach: delete them yourself.`,
  help: [['--yes', 'do not ask']],
  options: { yes: { type: 'boolean' } },
  operands: 1,
  work: async ({ yes }, [id]) =>
    await inOffice(async (office) => {
      const { id: found } = await demandCase(office.store.records, demanded(id, 'ID'));
      if (!yes && !(await confirmed('Nothing of the case will be left. Type purge to go on: ', 'purge')))
        throw new Failure('Not confirmed, so nothing was purged.', EXIT.failure);
      await purgeAtOnce(office, found);
      await office.store.erase();
      return { text: 'Purged.\n', json: { purged: found } };
    }),
});

type Change = (records: Records, found: Case) => Promise<Case>;

async function step(office: Office, id: string, done: string, change: Change): Promise<Report> {
  return stepReport(await changed(office, id, change), office.clock.now(), done);
}

async function changed({ store }: Office, id: string, change: Change): Promise<Case> {
  return await store.transaction(async (records) => await change(records, await demandCase(records, id)));
}

function callActOf(name: string | undefined): keyof typeof callSteps {
  const acts = Object.keys(callSteps) as (keyof typeof callSteps)[];
  const act = acts.find((each) => each === name);
  if (act === undefined) throw misuse(`The call is one of ${acts.join(', ')}`);
  return act;
}
