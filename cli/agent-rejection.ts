/** The command that rejects registrations: one, several, or all that are pending. */
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { DAY_SECONDS } from '#platform/durations.ts';
import { type AgentSource, withAgentSource } from './agent-source.ts';
import { buildDecisionReport } from './agents.ts';
import { bulkOptions, createBulkHelp, readBulkSelection, requireBulkConfirmation } from './bulk-selection.ts';
import { type CommandReport, createCommand } from './command.ts';
import { formatCount } from './count-text.ts';
import { officeAloneHelp, officeKeyOptions, readOfficeAlone } from './pinning-key.ts';

const DAYS = oauthLifetimes.registration / DAY_SECONDS;

export const rejectAgentCommand = createCommand({
  usage: 'agents reject ID… | agents reject --all [--yes]',
  about: `Reject registrations, or revoke approvals whose credentials have not been collected.
A rejected registration is deleted ${DAYS} days after it was received, or earlier if there are too many.`,
  help: [...createBulkHelp('reject every registration that is pending'), ...officeAloneHelp],
  options: { ...bulkOptions, ...officeKeyOptions },
  operands: Number.POSITIVE_INFINITY,
  work: async ({ all, yes, ...values }, ids) => {
    const named = readBulkSelection(all, ids);
    return await withAgentSource(
      await readOfficeAlone(values),
      async (source) => await (named ? rejectNamed(source, named) : rejectAllPending(source, yes)),
    );
  },
});

async function rejectAllPending(
  { listPendingIds, rejectPending }: AgentSource,
  confirmed: boolean | undefined,
): Promise<CommandReport> {
  const pending = await listPendingIds();
  await requireBulkConfirmation({ count: pending.length, what: 'registrations', word: 'reject' }, confirmed);
  const rejected = await rejectPending(pending);
  return { text: `Rejected: ${formatCount(rejected.length, 'registrations')}.\n`, json: { rejected } };
}

/** Looks at all of them first, so that a mistyped one stops the command before it changes anything. */
async function rejectNamed(
  { requireAgent, decide }: AgentSource,
  ids: readonly string[],
): Promise<CommandReport> {
  for (const id of ids) await requireAgent(id);
  const agents = await Array.fromAsync(ids, (id) => decide(id, 'reject'));
  const [first] = agents;
  if (first && agents.length === 1)
    return buildDecisionReport(
      first,
      `Rejected. The registration is deleted ${DAYS} days after it was received.`,
    );
  return { text: `Rejected: ${formatCount(agents.length, 'registrations')}.\n`, json: { agents } };
}
