/** The command that changes the redirect addresses of a client. */
import { toAgentJson } from '#clients/agent-view.ts';
import { updateRedirectUris } from '#clients/redirect-change.ts';
import { buildDecisionReport } from './agents.ts';
import { withStoreAndKeyring } from './cli-services.ts';
import { createCommand, createUsageFailure, requireOperand } from './command.ts';
import { terminalSafe } from './terminal-text.ts';

const usage = 'agents redirect ID [--add ADDRESS]… [--remove ADDRESS]…';

export const redirectAgentCommand = createCommand({
  usage,
  about: `Change the redirect addresses of a program that has moved, at once and all together.
Codes for an address that is removed are refused; tokens and the consent of users stay.`,
  help: [
    ['--add ADDRESS', 'https, or http with a loopback address; may be repeated'],
    ['--remove ADDRESS', 'as `agents show ID` prints it; may be repeated'],
  ],
  options: {
    add: { type: 'string', multiple: true },
    remove: { type: 'string', multiple: true },
  },
  operands: 1,
  work: async ({ add = [], remove = [] }, [id]) => {
    if (add.length + remove.length === 0) throw createUsageFailure('Give --add or --remove', usage);
    return await withStoreAndKeyring(async (services) => {
      const changed = await updateRedirectUris(services, requireOperand(id, 'ID'), { add, remove }, null);
      const agent = toAgentJson(services, changed);
      const left = agent.redirect_uris.map((uri) => `  ${terminalSafe.line(uri)}\n`).join('');
      return buildDecisionReport(
        agent,
        left === '' ? 'It has no redirect address.' : `It may use:\n${left}`.trimEnd(),
      );
    });
  },
});
