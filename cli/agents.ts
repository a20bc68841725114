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
import { SCOPES as allScopes, isScope } from '#platform/scopes.ts';
import { cutIsoDay } from '#platform/text/iso-time.ts';
import {
  listPendingRegistrationIds,
  listRegistrations,
  type Registration,
} from '#store/clients/registrations.ts';
import { REGISTRATION_STATUSES } from '#store/schema/column-values.ts';
import { bulkOptions, createBulkHelp, readBulkSelection, requireBulkConfirmation } from './bulk-selection.ts';
import { formatTimeOrDash } from './cases/case-facts.ts';
import { type KeyedCliServices, withStoreAndKeyring } from './cli-services.ts';
import { type CommandReport, createCommand, createUsageFailure, requireOperand } from './command.ts';
import { formatNextPageHint, pagingHelp, pagingOptions, parsePageOptions } from './list-pages.ts';
import { formatCount, formatPairs, formatTable, terminalSafe } from './terminal/table.ts';

const REDIRECT_USAGE = 'agents redirect ID [--add ADDRESS]… [--remove ADDRESS]…';

/** The command that changes the redirect addresses of a client. */
export const redirectAgentCommand = createCommand({
  usage: REDIRECT_USAGE,
  about: `Change the redirect addresses of a program that has moved, all in one step.
Codes issued for a removed address are refused; tokens and the consent of users stay valid.`,
  help: [
    [
      '--add ADDRESS',
      'an https address, an http address on loopback, or com.example.app:/…; may be repeated',
    ],
    ['--remove ADDRESS', 'as `agents show ID` prints it; may be repeated'],
  ],
  options: {
    add: { type: 'string', multiple: true },
    remove: { type: 'string', multiple: true },
  },
  operands: 1,
  work: async ({ add = [], remove = [] }, [id]) => {
    if (add.length + remove.length === 0) throw createUsageFailure('Give --add or --remove', REDIRECT_USAGE);
    return await withStoreAndKeyring(async (services) => {
      const changed = await updateRedirectUris(services, requireOperand(id, 'ID'), { add, remove }, null);
      const agent = toAgentJson(services, changed);
      const left = agent.redirect_uris.map((uri) => `  ${terminalSafe.line(uri)}\n`).join('');
      return buildDecisionReport(
        agent,
        left === '' ? 'The client has no redirect address.' : `Redirect addresses:\n${left}`.trimEnd(),
      );
    });
  },
});

/** The command that rejects registrations: one, several, or all that are pending. */
export const rejectAgentCommand = createCommand({
  usage: 'agents reject ID… | agents reject --all [--yes]',
  about: `Reject registrations, or revoke approvals whose credentials have not been collected.
A rejected registration is deleted ${REGISTRATION_DAYS} days after it was received, or earlier if there are too many.`,
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

export const listAgentsCommand = createCommand({
  usage: `agents list [--status ${REGISTRATION_STATUSES.join('|')}] [--limit N] [--after CURSOR]`,
  about: 'List registrations, oldest first.',
  help: [['--status STATUS', 'list only registrations with this status'], ...pagingHelp],
  options: { ...pagingOptions, status: { type: 'string' } },
  work: async ({ status: statusText, ...options }) => {
    const pageRequest = parsePageOptions(options);
    const status = statusText === undefined ? undefined : parseStatus(statusText);
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
  help: [
    ['--scopes "SCOPE…"', `one or more of ${allScopes.join(', ')}`],
    ['--grants "GRANT…"', `one or more of ${grantTypes.join(', ')}`],
  ],
  options: { scopes: { type: 'string' }, grants: { type: 'string' } },
  operands: 1,
  work: async (values, [id]) => {
    const choice = parseApprovalChoice(values);
    return await withStoreAndKeyring(async (services) => {
      const approved = await approveRegistration(services, requireOperand(id, 'ID'), choice, null);
      const agent = toAgentJson(services, approved);
      return buildDecisionReport(
        agent,
        agent.link_until === null
          ? 'The client is active.'
          : 'Approved. An e-mail with a link is being sent.',
      );
    });
  },
});

interface DecisionCommand {
  readonly usage: string;
  readonly about: string;
  readonly decide: typeof suspendClient;
  readonly done: string;
}

function createDecisionCommand({ usage, about, decide, done }: DecisionCommand) {
  return createCommand({
    usage,
    about,
    operands: 1,
    work: async (_values, [id]) =>
      await withStoreAndKeyring(async (services) => {
        const decided = await decide(services, requireOperand(id, 'ID'), null);
        return buildDecisionReport(toAgentJson(services, decided), done);
      }),
  });
}

export const suspendAgentCommand = createDecisionCommand({
  usage: 'agents suspend ID',
  about:
    'Suspend a client: its tokens and its secret are refused at once. `agents approve ID` reactivates it.',
  decide: suspendClient,
  done: 'Suspended.',
});

export const rotateAgentCommand = createDecisionCommand({
  usage: 'agents rotate ID',
  about: `Revoke the secret and the access tokens of a client at once, and send an e-mail with a link to a new secret.
User consent and the webhook remain valid. If someone else had the secret, the program must set its webhook again, with "rotate_secret".`,
  decide: rotateClientSecret,
  done: 'The old secret no longer works. An e-mail with a link to a new one is being sent. The webhook is unchanged: if someone else had the secret, the program must set its webhook again.',
});

export type AgentView = ReturnType<typeof toAgentJson>;

function parseStatus(text: string): Registration['status'] {
  const status = REGISTRATION_STATUSES.find((name) => name === text);
  if (status === undefined)
    throw createUsageFailure(`--status must be one of ${REGISTRATION_STATUSES.join(', ')}`);
  return status;
}

function parseApprovalChoice({
  scopes,
  grants,
}: {
  scopes?: string;
  grants?: string;
}): ApprovedAccess | null {
  if (scopes === undefined && grants === undefined) return null;
  if (scopes === undefined || grants === undefined)
    throw createUsageFailure('--scopes and --grants must be used together');
  return {
    scopes: parseNames(scopes).map((name) =>
      isScope(name) ? name : refuseUnknownName('scope', name, allScopes),
    ),
    grants: parseNames(grants).map(
      (name) => grantTypes.find((grant) => grant === name) ?? refuseUnknownName('grant', name, grantTypes),
    ),
  };
}

function parseNames(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

function refuseUnknownName(kind: string, name: string, known: readonly string[]): never {
  throw createUsageFailure(`There is no ${kind} ${name}. Choose from ${known.join(', ')}`);
}

function formatAgentTable(agents: readonly AgentView[]): string {
  const rows = agents.map(({ registration_id: id, state, created_at: created, client_name: name }) =>
    [id, state, created === null ? '-' : cutIsoDay(created), name].map((cell) => terminalSafe.line(cell)),
  );
  return formatTable(['REGISTRATION', 'STATE', 'RECEIVED', 'NAME'], rows);
}

/** Most of this text comes from the person who registered the agent. */
function buildAgentReport(agent: AgentView): CommandReport {
  const { redirect_uris: redirects } = agent;
  const wish = agent.state === 'pending' ? 'Requested ' : '';
  const pairs: [label: string, text: string][] = [
    ['Registration', agent.registration_id],
    ['State', agent.state],
    ['Name', agent.client_name],
    ['Contact', agent.contact],
    ['Identity', agent.identity_type],
    ['Credentials', agent.credential_types.join(', ')],
    ['Redirects', redirects.length === 0 ? '-' : redirects.map(terminalSafe.line).join('\n')],
    ['Received', formatTimeOrDash(agent.created_at)],
    ['Client', agent.client_id ?? '-'],
    [wish ? `${wish}scopes` : 'Scopes', agent.scopes.join(' ') || '-'],
    [wish ? `${wish}grants` : 'Grants', agent.grants.join(' ') || '-'],
    ['Link valid until', formatTimeOrDash(agent.link_until)],
  ];
  return {
    text: formatPairs(
      pairs.map(([label, text]) => [label, label === 'Redirects' ? text : terminalSafe.line(text)]),
    ),
    json: { agent },
  };
}

export function buildDecisionReport(agent: AgentView, done: string): CommandReport {
  return { text: `${done}\n`, json: { agent } };
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
    return buildDecisionReport(
      first,
      `Rejected. The registration is deleted ${REGISTRATION_DAYS} days after it was received.`,
    );
  return { text: `Rejected: ${formatCount(agents.length, 'registrations')}.\n`, json: { agents } };
}
