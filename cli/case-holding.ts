/** Commands that say who works on a case: take it, take it over, let it go. */
import { buildStepReport } from './case-facts.ts';
import { type CliCommand, createCommand } from './command.ts';
import { applyAct, requireCase } from './office-cases.ts';
import { withOfficeLink } from './office-link.ts';
import { officeHelp, officeOptions, readOfficeAccess } from './office-option.ts';

export const takeCaseCommand = createActCommand({
  name: 'take',
  act: 'take',
  about: `Start work on a case, or resume it while it waits for the buyer.
It is then yours: the others are told so, and cannot write in it unless they take it over.`,
  done: 'The case is yours.',
});

export const takeOverCaseCommand = createActCommand({
  name: 'take-over',
  act: 'take_over',
  about: 'Make a case yours that somebody else has. They are not asked; tell them.',
  done: 'The case is yours.',
});

export const releaseCaseCommand = createActCommand({
  name: 'let-go',
  act: 'let_go',
  about: `Make a case of yours nobody's, for somebody else to take. Its state and its due time stay.`,
  done: 'Nobody has the case now.',
});

interface ActCommand {
  readonly name: string;
  readonly act: 'take' | 'take_over' | 'let_go' | 'take_back';
  readonly about: string;
  readonly done: string;
}

export function createActCommand({ name, act, about, done }: ActCommand): CliCommand {
  return createCommand({
    usage: `cases ${name} ID`,
    about,
    help: officeHelp,
    options: officeOptions,
    operands: 1,
    work: async (values, [operand]) =>
      await withOfficeLink(await readOfficeAccess(values), async (link) => {
        const { facts, now } = await requireCase(link, operand);
        return buildStepReport(await applyAct(link, facts.id, act), now, done);
      }),
  });
}
