/** Commands that change a case without opening it: take it, unassign it, take a finding back, purge it. */
import { createHostileFault } from '#desk/office/office-http.ts';
import { PROGRAM_NAME } from '#platform/config/program-name.ts';
import { HOUR_MS } from '#platform/durations.ts';
import type { DeskActRequest } from '#wire/desk-cases.ts';
import { PURGE_WAIT_HOURS } from '#wire/keep-days.ts';
import { type CliCommand, type CommandReport, createCommand } from '../command.ts';
import { type OfficeLink, officeOptions, withOffice } from '../office-link.ts';
import { formatTimeOrDash } from '../terminal/table.ts';
import { requireConfirmation } from '../terminal/typed-text.ts';
import { buildStepReport, requireNotOnHold, toCaseJson } from './case-facts.ts';
import { applyAct, requireCase, type ToldCase } from './office-cases.ts';

interface ActCommand {
  readonly name: string;
  readonly act: Exclude<DeskActRequest['act'], 'purge_now'>;
  readonly about: string;
  readonly done: string;
}

function createActCommand({ name, act, about, done }: ActCommand): CliCommand {
  return createCommand({
    usage: `cases ${name} ID`,
    about,
    options: officeOptions,
    operands: 1,
    work: async (values, [operand]) =>
      await withOffice(values, async (link) => {
        const { facts, now } = await requireCase(link, operand);
        return buildStepReport(await applyAct(link, facts.id, act), now, done);
      }),
  });
}

export const takeCaseCommand = createActCommand({
  name: 'take',
  act: 'take',
  about: `Start work on a case, or resume one that is waiting for the buyer.
The case is assigned to you, and your colleagues can see that. They can still add notes, but have to reassign the case
to themselves before they can write to the buyer.`,
  done: 'Assigned to you.',
});

export const reassignCaseCommand = createActCommand({
  name: 'take-over',
  act: 'take_over',
  about: `Reassign a colleague's case to yourself. Your colleague is not asked first, so tell them.`,
  done: 'Assigned to you.',
});

export const releaseCaseCommand = createActCommand({
  name: 'let-go',
  act: 'let_go',
  about: 'Unassign one of your cases, so that a colleague can take it. Its state and due time do not change.',
  done: 'The case is unassigned now.',
});

export const takeBackCommand = createActCommand({
  name: 'take-back',
  act: 'take_back',
  about: `Take back a finding or a decline that the buyer cannot see yet.
It is deleted and the case is reopened. Once the buyer can read it, this is refused.`,
  done: 'Taken back and deleted.',
});

export const purgeCaseCommand = createCommand({
  usage: 'cases purge ID [--yes]\n       cases purge ID --undo',
  about: `Purge a closed case permanently. With the key of an owner, this happens at once.
With the key of an investigator, it happens after ${PURGE_WAIT_HOURS} hours, or on the purge date if that is sooner. Until then everyone
at the desk can see who requested it, and can undo it.
Files that you saved are not deleted: delete them yourself.`,
  options: [['--yes', 'do not ask for confirmation'], ['--undo', 'undo a pending purge'], ...officeOptions],
  operands: 1,
  work: async ({ yes = false, undo, ...values }, [operand]) =>
    await withOffice(values, async (link) => {
      const told = await requireCase(link, operand);
      if (!undo) return await purgeToldCase(link, told, yes);
      return buildStepReport(await applyAct(link, told.facts.id, 'undo_purge'), told.now, 'Undone.');
    }),
});

async function purgeToldCase(
  link: OfficeLink,
  { facts, now }: ToldCase,
  isConfirmed: boolean,
): Promise<CommandReport> {
  const { id, purge_at: purgeAt } = facts;
  requireNotOnHold(facts);
  const isAtOnce = link.office.session?.people.some(
    ({ holder, role }) => holder === link.office.holder && role === 'owner',
  );
  const latest = now + PURGE_WAIT_HOURS * HOUR_MS;
  const when = isAtOnce
    ? 'at once'
    : `at ${formatTimeOrDash(Math.min(latest, purgeAt === null ? latest : Date.parse(purgeAt)))} unless it is undone`;
  const question = `Everything in the case will be deleted ${when}. Type purge to continue: `;
  if (!isConfirmed) await requireConfirmation(question, 'purge', 'nothing was purged');
  if (isAtOnce) {
    if ((await link.office.act(id, 'purge_now')) !== null)
      throw createHostileFault('it does not say that the case is purged');
    return { text: 'Purged.\n', json: { purged: id } };
  }
  const asked = await applyAct(link, id, 'purge');
  return {
    text: `Requested. The case will be purged at ${formatTimeOrDash(asked.purge_at)}. To cancel this before then: ${PROGRAM_NAME} cases purge ${id} --undo\n`,
    json: { case: toCaseJson(asked) },
  };
}
