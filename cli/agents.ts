/** Commands for agents: list registrations, decide about them, and set what their clients may do. */
import { toAgentJson } from '#clients/agent-view.ts';
import { type ApprovedAccess, approveRegistration } from '#clients/approval.ts';
import { rotateClientSecret, suspendClient } from '#clients/client-decisions.ts';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { requireRegistrationWithClient } from '#clients/registration-decision.ts';
import { HOUR_SECONDS } from '#platform/durations.ts';
import { grantTypes } from '#platform/grant-types.ts';
import { cutIsoDay } from '#platform/iso-time.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { SCOPES as allScopes, isScope } from '#platform/scopes.ts';
import { REGISTRATION_STATUSES } from '#store/column-values.ts';
import { listRegistrations, type Registration } from '#store/registrations.ts';
import { formatTimeOrDash } from './case-facts.ts';
import { withStoreAndKeyring } from './cli-services.ts';
import { type CommandReport, createCommand, createUsageFailure, requireOperand } from './command.ts';
import { formatNextPageHint, pagingHelp, pagingOptions, parsePageOptions } from './list-pages.ts';
import { formatPairs, formatTable } from './table.ts';
import { terminalSafe } from './terminal-text.ts';

export const listAgentsCommand = createCommand({
  usage: `agents list [--status ${REGISTRATION_STATUSES.join('|')}] [--limit N] [--after CURSOR]`,
  about: 'List registrations, the oldest first.',
  help: [['--status STATUS', 'list only these'], ...pagingHelp],
  options: { ...pagingOptions, status: { type: 'string' } },
  operands: 0,
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
  about: 'Show a registration and its contact. ID is that of the registration or of the client.',
  options: {},
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
The agent collects them itself, or its contact does with a link sent by e-mail, valid for ${oauthLifetimes.offer / HOUR_SECONDS} hours.
Approving again sends a new link; approving a suspended client reactivates it.`,
  help: [
    ['--scopes "SCOPE…"', `of ${allScopes.join(', ')}`],
    ['--grants "GRANT…"', `of ${grantTypes.join(', ')}`],
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
        agent.state === 'approved'
          ? 'Approved. An e-mail with a link is being sent.'
          : 'The client is active.',
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
    options: {},
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
  about: `Revoke the secret and the access tokens of a client at once; an e-mail with a link offers a new secret.
The consent of users stays.`,
  decide: rotateClientSecret,
  done: 'The old secret no longer works. An e-mail with a link to a new one is being sent.',
});

export type AgentView = ReturnType<typeof toAgentJson>;

function parseStatus(text: string): Registration['status'] {
  const status = REGISTRATION_STATUSES.find((name) => name === text);
  if (status === undefined)
    throw createUsageFailure(`--status is one of ${REGISTRATION_STATUSES.join(', ')}`);
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
    throw createUsageFailure('--scopes and --grants go together');
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
  throw createUsageFailure(`There is no ${kind} ${name}; there are ${known.join(', ')}`);
}

function formatAgentTable(agents: readonly AgentView[]): string {
  const rows = agents.map(({ registration_id: id, state, created_at: created, client_name: name }) =>
    [id, state, created === null ? '-' : cutIsoDay(created), name].map((cell) => terminalSafe.line(cell)),
  );
  return formatTable(['REGISTRATION', 'STATE', 'RECEIVED', 'NAME'], rows);
}

/** Whoever registered it wrote most of this. */
function buildAgentReport(agent: AgentView): CommandReport {
  const parseTime = (text: string | null) => (text === null ? null : Date.parse(text));
  const { redirect_uris: redirects } = agent;
  const pairs: [label: string, text: string][] = [
    ['Registration', agent.registration_id],
    ['State', agent.state],
    ['Name', agent.client_name],
    ['Contact', agent.contact],
    ['Identity', agent.identity_type],
    ['Credentials', agent.credential_types.join(', ')],
    ['Redirects', redirects.length === 0 ? '-' : redirects.map(terminalSafe.line).join('\n')],
    ['Received', formatTimeOrDash(parseTime(agent.created_at))],
    ['Client', agent.client_id ?? '-'],
    ['Scopes', agent.scopes.join(' ') || '-'],
    ['Grants', agent.grants.join(' ') || '-'],
    ['Link valid until', formatTimeOrDash(parseTime(agent.link_until))],
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
