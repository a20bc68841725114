/** The command that rejects registrations: one, several, or all that are pending. */
import { toAgentJson } from '#clients/agent-view.ts';
import { rejectPendingRegistrations, rejectRegistration } from '#clients/approval.ts';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { requireRegistrationWithClient } from '#clients/registration-decision.ts';
import { DAY_SECONDS } from '#platform/durations.ts';
import { listPendingRegistrationIds } from '#store/registrations.ts';
import { buildDecisionReport } from './agents.ts';
import { bulkOptions, createBulkHelp, readBulkSelection, requireBulkConfirmation } from './bulk-selection.ts';
import { type KeyedCliServices, withStoreAndKeyring } from './cli-services.ts';
import { type CommandReport, createCommand } from './command.ts';
import { formatCount } from './count-text.ts';

const DAYS = oauthLifetimes.registration / DAY_SECONDS;

export const rejectAgentCommand = createCommand({
  usage: 'agents reject ID… | agents reject --all [--yes]',
  about: `Reject registrations, or revoke approvals whose credentials have not been collected.
A rejected registration is deleted ${DAYS} days after it was received, or earlier if there are too many.`,
  help: createBulkHelp('reject every registration that is pending'),
  options: bulkOptions,
  operands: Number.POSITIVE_INFINITY,
  work: async ({ all, yes }, ids) => {
    const named = readBulkSelection(all, ids);
    return await withStoreAndKeyring(
      async (services) => await (named ? rejectNamed(services, named) : rejectAllPending(services, yes)),
    );
  },
});

async function rejectAllPending(
  services: KeyedCliServices,
  confirmed: boolean | undefined,
): Promise<CommandReport> {
  const pending = await listPendingRegistrationIds(services.store.records);
  await requireBulkConfirmation({ count: pending.length, what: 'registrations', word: 'reject' }, confirmed);
  const rejected = await rejectPendingRegistrations(services, pending, null);
  return { text: `Rejected: ${formatCount(rejected.length, 'registrations')}.\n`, json: { rejected } };
}

/** Looks at all of them first, so that a mistyped one stops the command before it changes anything. */
async function rejectNamed(services: KeyedCliServices, ids: readonly string[]): Promise<CommandReport> {
  for (const id of ids) await requireRegistrationWithClient(services.store.records, id);
  const agents = await Array.fromAsync(ids, async (id) =>
    toAgentJson(services, await rejectRegistration(services, id, null)),
  );
  const [first] = agents;
  if (first && agents.length === 1)
    return buildDecisionReport(
      first,
      `Rejected. The registration is deleted ${DAYS} days after it was received.`,
    );
  return { text: `Rejected: ${formatCount(agents.length, 'registrations')}.\n`, json: { agents } };
}
