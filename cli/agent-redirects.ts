/** The command that changes the redirect addresses of a client. */
import { withAgentSource } from './agent-source.ts';
import { buildDecisionReport } from './agents.ts';
import { createCommand, createUsageFailure, requireOperand } from './command.ts';
import { officeAloneHelp, officeKeyOptions, readOfficeAlone } from './pinning-key.ts';
import { terminalSafe } from './terminal-text.ts';

const usage = 'agents redirect ID [--add ADDRESS]… [--remove ADDRESS]…';

export const redirectAgentCommand = createCommand({
  usage,
  about: `Change the redirect addresses of a program that has moved, at once and all together.
Codes for an address that is removed are refused; tokens and the consent of users stay.`,
  help: [
    ['--add ADDRESS', 'https, or http with a loopback address; may be repeated'],
    ['--remove ADDRESS', 'as `agents show ID` prints it; may be repeated'],
    ...officeAloneHelp,
  ],
  options: {
    ...officeKeyOptions,
    add: { type: 'string', multiple: true },
    remove: { type: 'string', multiple: true },
  },
  operands: 1,
  work: async ({ add = [], remove = [], ...values }, [id]) => {
    if (add.length + remove.length === 0) throw createUsageFailure('Give --add or --remove', usage);
    return await withAgentSource(await readOfficeAlone(values), async ({ updateRedirects }) => {
      const agent = await updateRedirects(requireOperand(id, 'ID'), { add, remove });
      const left = agent.redirect_uris.map((uri) => `  ${terminalSafe.line(uri)}\n`).join('');
      return buildDecisionReport(
        agent,
        left === '' ? 'It has no redirect address.' : `It may use:\n${left}`.trimEnd(),
      );
    });
  },
});
