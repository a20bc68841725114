/** Commands that say who works on a case: take it, take it over, let it go. */
import { releaseCase, takeCase, takeOverCase } from '#cases/case-holder.ts';
import { buildStepReport } from './case-facts.ts';
import { requireNamedCase } from './case-id.ts';
import { withStore } from './cli-services.ts';
import { createCommand } from './command.ts';
import { deskKeyHelp, deskKeyOption, readDeskKey } from './desk-key.ts';
import { deriveInvestigator, investigatorHelp, readInvestigator, withHolderNamed } from './investigator.ts';

export const takeCaseCommand = createCommand({
  usage: 'cases take ID [--key FILE]',
  about: `Start work on a case, or resume it while it waits for the buyer.
With your key it is yours: the others are told so, and cannot write in it unless they take it over.`,
  help: [investigatorHelp],
  options: deskKeyOption,
  operands: 1,
  work: async ({ key }, [operand]) => {
    const investigator = await readInvestigator(key);
    return await withStore(async (services) => {
      const { id } = await requireNamedCase(services, operand);
      const record = await withHolderNamed(services, id, () => takeCase(services, id, investigator));
      const done = investigator === null ? 'Work has started.' : 'The case is yours.';
      return buildStepReport(record, services.clock.now(), done);
    });
  },
});

export const takeOverCaseCommand = createCommand({
  usage: 'cases take-over ID --key FILE',
  about: 'Make a case yours that somebody else has. They are not asked; tell them.',
  help: [deskKeyHelp],
  options: deskKeyOption,
  operands: 1,
  work: async ({ key }, [operand]) => {
    const investigator = await deriveInvestigator(await readDeskKey(key));
    return await withStore(async (services) => {
      const { id } = await requireNamedCase(services, operand);
      const record = await takeOverCase(services, id, investigator);
      return buildStepReport(record, services.clock.now(), 'The case is yours.');
    });
  },
});

export const releaseCaseCommand = createCommand({
  usage: 'cases let-go ID [--key FILE]',
  about: `Make a case nobody's, for somebody else to take. Its state and its due time stay.
Without a key also somebody else's, for instance of a colleague who has left.`,
  help: [['--key FILE', 'your private key: only a case of yours is let go']],
  options: deskKeyOption,
  operands: 1,
  work: async ({ key }, [operand]) => {
    const investigator = await readInvestigator(key);
    return await withStore(async (services) => {
      const { id } = await requireNamedCase(services, operand);
      const record = await withHolderNamed(services, id, () => releaseCase(services, id, investigator));
      return buildStepReport(record, services.clock.now(), 'Nobody has the case now.');
    });
  },
});
