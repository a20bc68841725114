/** Commands for agents: list registrations, decide about them, and set what their clients may do. */

import { oauthLifetimes } from '#clients/lifetimes.ts';
import {
  type ApprovedAccess,
  approveRegistration,
  rejectPendingRegistrations,
  rejectRegistration,
  requireRegistrationWithClient,
  rotateClientSecret,
  suspendClient,
  toAgentJson,
  updateRedirectUris,
} from '#clients/registration-decision.ts';
import { HOUR_SECONDS } from '#platform/durations.ts';
import { REGISTRATION_DAYS } from '#platform/expiry.ts';
import { grantTypes } from '#platform/grant-types.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { SCOPES as allScopes } from '#platform/scopes.ts';
import { cutIsoDay } from '#platform/text/iso-time.ts';
import { listPendingRegistrationIds, listRegistrations } from '#store/clients/registrations.ts';
import { REGISTRATION_STATUSES } from '#store/schema/column-values.ts';
import { type KeyedCliServices, withStoreAndKeyring } from './cli-services.ts';
import { type CommandReport, createCommand, createUsageFailure, requireOperand } from './command.ts';
import {
  createBulkOptions,
  formatNextPageHint,
  pagingOptions,
  parsePageOptions,
  readBulkSelection,
  requireBulkConfirmation,
} from './selection.ts';
import { formatCount, formatPairs, formatTable, formatTimeOrDash, terminalSafe } from './terminal/table.ts';

const REDIRECT_USAGE = 'agents redirect ID [--add ADDRESS]… [--remove ADDRESS]…';

export const redirectAgentCommand = createCommand({
  usage: REDIRECT_USAGE,
  about: `Change the redirect addresses of a program that has moved, all in one step.
Codes issued for a removed address are refused; tokens and the consent of users stay valid.`,
  options: [
    [
      '--add ADDRESS',
      'an https address, an http address on loopback, or com.example.app:/…; may be repeated',
      'repeated',
    ],
    ['--remove ADDRESS', 'as `agents show ID` prints it; may be repeated', 'repeated'],
  ],
  operands: 1,
  work: async ({ add = [], remove = [] }, [id]) => {
    if (add.length + remove.length === 0) throw createUsageFailure('Give --add or --remove', REDIRECT_USAGE);
    return await withStoreAndKeyring(async (services) => {
      const changed = await updateRedirectUris(services, requireOperand(id, 'ID'), { add, remove }, null);
      const agent = toAgentJson(services, changed);
      const left = agent.redirect_uris.map((uri) => `  ${terminalSafe.line(uri)}\n`).join('');
      return {
        text: left === '' ? 'The client has no redirect address.\n' : `Redirect addresses:\n${left}`,
        json: { agent },
      };
    });
  },
});

export const rejectAgentCommand = createCommand({
  usage: 'agents reject ID… | agents reject --all [--yes]',
  about: `Reject registrations, or revoke approvals whose credentials have not been collected.
A rejected registration is deleted ${REGISTRATION_DAYS} days after it was received, or earlier if there are too many.`,
  options: createBulkOptions('reject every registration that is pending'),
  operands: Number.POSITIVE_INFINITY,
  work: async ({ all, yes }, ids) => {
    const named = readBulkSelection(all, ids);
    return await withStoreAndKeyring(
      async (services) => await (named ? rejectNamed(services, named) : rejectAllPending(services, yes)),
    );
  },
});

export const listAgentsCommand = createCommand({
  usage: `agents list [--status ${REGISTRATION_STATUSES.join('|')}] [--limit N] [--after CURSOR]`,
  about: 'List registrations, oldest first.',
  options: [['--status STATUS', 'list only registrations with this status'], ...pagingOptions],
  work: async ({ status: statusText, ...options }) => {
    const pageRequest = parsePageOptions(options);
    const status = REGISTRATION_STATUSES.find((name) => name === statusText);
    if (status !== statusText)
      throw createUsageFailure(`--status must be one of ${REGISTRATION_STATUSES.join(', ')}`);
    return await withStoreAndKeyring(async (services) => {
      const { records } = services.store;
      const { rows, next } = await readListPage(
        pageRequest,
        (page) => listRegistrations(records, status, page),
        ({ created_at }) => created_at,
      );
      const agents = await Array.fromAsync(rows, async ({ id }) =>
        toAgentJson(services, await requireRegistrationWithClient(records, id)),
      );
      return {
        text: agents.length === 0 ? 'No agents.\n' : formatAgentTable(agents) + formatNextPageHint(next),
        json: { agents, next },
      };
    });
  },
});

export const showAgentCommand = createCommand({
  usage: 'agents show ID',
  about: 'Show a registration and its contact. ID is the id of the registration or of the client.',
  operands: 1,
  work: async (_values, [id]) =>
    await withStoreAndKeyring(async (services) => {
      const found = await requireRegistrationWithClient(services.store.records, requireOperand(id, 'ID'));
      return buildAgentReport(toAgentJson(services, found));
    }),
});

export const approveAgentCommand = createCommand({
  usage: 'agents approve ID [--scopes "SCOPE…" --grants "GRANT…"]',
  about: `Approve an agent for credentials, or change what its client may do.
The agent collects its credentials itself, or its contact does so through an e-mailed link, valid for ${oauthLifetimes.offer / HOUR_SECONDS} hours.
Approving again sends a new link; approving a suspended client reactivates it.`,
  options: [
    ['--scopes "SCOPE…"', `one or more of ${allScopes.join(', ')}`],
    ['--grants "GRANT…"', `one or more of ${grantTypes.join(', ')}`],
  ],
  operands: 1,
  work: async ({ scopes, grants }, [id]) => {
    const choice = parseApprovalChoice(scopes, grants);
    return await withStoreAndKeyring(async (services) => {
      const approved = await approveRegistration(services, requireOperand(id, 'ID'), choice, null);
      const agent = toAgentJson(services, approved);
      const text =
        agent.link_until === null
          ? 'The client is active.\n'
          : 'Approved. An e-mail with a link is being sent.\n';
      return { text, json: { agent } };
    });
  },
});

function createDecisionCommand(usage: string, about: string, decide: typeof suspendClient, done: string) {
  return createCommand({
    usage,
    about,
    operands: 1,
    work: async (_values, [id]) =>
      await withStoreAndKeyring(async (services) => {
        const decided = await decide(services, requireOperand(id, 'ID'), null);
        return { text: `${done}\n`, json: { agent: toAgentJson(services, decided) } };
      }),
  });
}

export const suspendAgentCommand = createDecisionCommand(
  'agents suspend ID',
  'Suspend a client: its tokens and its secret are refused at once. `agents approve ID` reactivates it.',
  suspendClient,
  'Suspended.',
);

export const rotateAgentCommand = createDecisionCommand(
  'agents rotate ID',
  `Revoke the secret and the access tokens of a client at once, and send an e-mail with a link to a new secret.
User consent and the webhook remain valid. If someone else had the secret, the program must set its webhook again, with "rotate_secret".`,
  rotateClientSecret,
  'The old secret no longer works. An e-mail with a link to a new one is being sent. The webhook is unchanged: if someone else had the secret, the program must set its webhook again.',
);

type AgentView = ReturnType<typeof toAgentJson>;

function parseApprovalChoice(scopes?: string, grants?: string): ApprovedAccess | null {
  if (scopes === undefined && grants === undefined) return null;
  if (scopes === undefined || grants === undefined)
    throw createUsageFailure('--scopes and --grants must be used together');
  return {
    scopes: parseNames('scope', scopes, allScopes),
    grants: parseNames('grant', grants, grantTypes),
  };
}

function parseNames<Name extends string>(kind: string, text: string, known: readonly Name[]): Name[] {
  const names = new Set(text.split(/[\s,]+/).filter((name) => name !== ''));
  return [...names].map((name) => {
    const found = known.find((each) => each === name);
    if (found !== undefined) return found;
    throw createUsageFailure(`There is no ${kind} ${name}. Choose from ${known.join(', ')}`);
  });
}

function formatAgentTable(agents: readonly AgentView[]): string {
  const rows = agents.map(({ registration_id: id, state, created_at: created, client_name: name }) =>
    [id, state, created === null ? '-' : cutIsoDay(created), name].map((cell) => terminalSafe.line(cell)),
  );
  return formatTable(['REGISTRATION', 'STATE', 'RECEIVED', 'NAME'], rows);
}

/** Most of this text comes from the person who registered the agent. */
function buildAgentReport(agent: AgentView): CommandReport {
  const wish = agent.state === 'pending' ? 'Requested ' : '';
  const text = formatPairs([
    ['Registration', agent.registration_id],
    ['State', agent.state],
    ['Name', terminalSafe.line(agent.client_name)],
    ['Contact', terminalSafe.line(agent.contact)],
    ['Identity', agent.identity_type],
    ['Credentials', agent.credential_types.join(', ')],
    ['Redirects', agent.redirect_uris.map(terminalSafe.line).join('\n') || '-'],
    ['Received', formatTimeOrDash(agent.created_at)],
    ['Client', agent.client_id ?? '-'],
    [wish ? `${wish}scopes` : 'Scopes', agent.scopes.join(' ') || '-'],
    [wish ? `${wish}grants` : 'Grants', agent.grants.join(' ') || '-'],
    ['Link valid until', formatTimeOrDash(agent.link_until)],
  ]);
  return { text, json: { agent } };
}

async function rejectAllPending(
  services: KeyedCliServices,
  confirmed: boolean | undefined,
): Promise<CommandReport> {
  const pending = await listPendingRegistrationIds(services.store.records);
  await requireBulkConfirmation({ count: pending.length, what: 'registrations', word: 'reject' }, confirmed);
  const rejected = await rejectPendingRegistrations(services, pending, null);
  return { text: `Rejected: ${formatCount(rejected.length, 'registrations')}.\n`, json: { rejected } };
}

/** Checks all of them first, so that a mistyped id stops the command before it changes anything. */
async function rejectNamed(services: KeyedCliServices, ids: readonly string[]): Promise<CommandReport> {
  for (const id of ids) await requireRegistrationWithClient(services.store.records, id);
  const agents = await Array.fromAsync(ids, async (id) =>
    toAgentJson(services, await rejectRegistration(services, id, null)),
  );
  const [first] = agents;
  if (first && agents.length === 1)
    return {
      text: `Rejected. The registration is deleted ${REGISTRATION_DAYS} days after it was received.\n`,
      json: { agent: first },
    };
  return { text: `Rejected: ${formatCount(agents.length, 'registrations')}.\n`, json: { agents } };
}
