/** Commands that say who works on a case: take it, take it over, let it go. */
import { buildStepReport } from './case-facts.ts';
import type { CaseSource } from './case-source.ts';
import { withCaseSource } from './chosen-source.ts';
import { type CommandReport, createCommand } from './command.ts';
import { investigatorHelp } from './investigator.ts';
import {
  type DeskAccess,
  officeKeyHelp,
  officeKeyOptions,
  readDeskAccess,
  readOptionalAccess,
} from './pinning-key.ts';

const [, ...otherOfficeHelp] = officeKeyHelp;

export const takeCaseCommand = createCommand({
  usage: 'cases take ID [--key FILE]',
  about: `Start work on a case, or resume it while it waits for the buyer.
With your key it is yours: the others are told so, and cannot write in it unless they take it over.`,
  help: [investigatorHelp, ...otherOfficeHelp],
  options: officeKeyOptions,
  operands: 1,
  work: async (values, [operand]) =>
    await updateHolder(await readOptionalAccess(values), operand, {
      act: 'take',
      formatDone: ({ investigator }) => (investigator === null ? 'Work has started.' : 'The case is yours.'),
    }),
});

export const takeOverCaseCommand = createCommand({
  usage: 'cases take-over ID --key FILE',
  about: 'Make a case yours that somebody else has. They are not asked; tell them.',
  help: officeKeyHelp,
  options: officeKeyOptions,
  operands: 1,
  work: async (values, [operand]) =>
    await updateHolder((await readOptionalAccess(values)) ?? (await readDeskAccess(values)), operand, {
      act: 'take_over',
      formatDone: () => 'The case is yours.',
    }),
});

export const releaseCaseCommand = createCommand({
  usage: 'cases let-go ID [--key FILE]',
  about: `Make a case nobody's, for somebody else to take. Its state and its due time stay.
Without a key also somebody else's, for instance of a colleague who has left; an office always asks for a key.`,
  help: [['--key FILE', 'your private key: only a case of yours is let go'], ...otherOfficeHelp],
  options: officeKeyOptions,
  operands: 1,
  work: async (values, [operand]) =>
    await updateHolder(await readOptionalAccess(values), operand, {
      act: 'let_go',
      formatDone: () => 'Nobody has the case now.',
    }),
});

interface HolderChange {
  readonly act: 'take' | 'take_over' | 'let_go';
  readonly formatDone: (source: CaseSource) => string;
}

async function updateHolder(
  access: DeskAccess | null,
  operand: string | undefined,
  { act, formatDone }: HolderChange,
): Promise<CommandReport> {
  return await withCaseSource(access, async (source) => {
    const { id } = await source.requireCase(operand);
    const record = await source.act(id, act);
    return buildStepReport(record, source.now(), formatDone(source));
  });
}
