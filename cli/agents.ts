/** Commands for agents: list registrations, decide about them, and set what their clients may do. */
import { toAgentJson, toAgentState } from '#clients/agent-view.ts';
import {
  type ApprovedAccess,
  approveRegistration,
  type RegistrationWithClient,
  requireRegistrationWithClient,
  rotateClientSecret,
  suspendClient,
} from '#clients/approval.ts';
import { oauthLifetimes } from '#clients/lifetimes.ts';
import { decryptRegistrationContact } from '#clients/registration-mail.ts';
import { HOUR_SECONDS } from '#platform/durations.ts';
import { grantTypes } from '#platform/grant-types.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { SCOPES as allScopes, isScope } from '#platform/scopes.ts';
import { REGISTRATION_STATUSES } from '#store/column-values.ts';
import { listRegistrations, type Registration } from '#store/registrations.ts';
import { formatDayOrDash, formatTimeOrDash } from './case-facts.ts';
import { type KeyedCliServices, withStoreAndKeyring } from './cli-services.ts';
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
      const agents = await Promise.all(rows.map(({ id }) => requireRegistrationWithClient(records, id)));
      return {
        text: agents.length === 0 ? 'No agents.\n' : formatAgentTable(agents) + formatNextPageHint(next),
        json: { agents: agents.map((agent) => toAgentJson(services, agent)), next },
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
    await withStoreAndKeyring(async (services) =>
      buildAgentReport(
        services,
        await requireRegistrationWithClient(services.store.records, requireOperand(id, 'ID')),
      ),
    ),
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
      const agent = await approveRegistration(services, requireOperand(id, 'ID'), choice, null);
      return buildDecisionReport(
        services,
        agent,
        agent.client ? 'The client is active.' : 'Approved. An e-mail with a link is being sent.',
      );
    });
  },
});

interface DecisionCommand {
  readonly usage: string;
  readonly about: string;
  readonly decide: (services: KeyedCliServices, id: string, by: null) => Promise<RegistrationWithClient>;
  readonly done: string;
}

function createDecisionCommand({ usage, about, decide, done }: DecisionCommand) {
  return createCommand({
    usage,
    about,
    options: {},
    operands: 1,
    work: async (_values, [id]) =>
      await withStoreAndKeyring(async (services) =>
        buildDecisionReport(services, await decide(services, requireOperand(id, 'ID'), null), done),
      ),
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

function formatAgentTable(agents: readonly RegistrationWithClient[]): string {
  const rows = agents.map((agent) => {
    const { id, name, created_at } = agent.registration;
    return [id, toAgentState(agent), formatDayOrDash(created_at), terminalSafe.line(name)];
  });
  return formatTable(['REGISTRATION', 'STATE', 'RECEIVED', 'NAME'], rows);
}

function buildAgentReport(services: KeyedCliServices, agent: RegistrationWithClient): CommandReport {
  const { registration } = agent;
  const redirects = JSON.parse(registration.redirect_uris) as string[];
  return {
    text: formatPairs([
      ['Registration', registration.id],
      ['State', toAgentState(agent)],
      ['Name', terminalSafe.line(registration.name)],
      ['Contact', decryptRegistrationContact(services.keyring, registration)],
      ['Identity', registration.identity_type],
      ['Credentials', registration.credentials.replace(' ', ', ')],
      ['Redirects', redirects.length === 0 ? '-' : redirects.join('\n')],
      ['Received', formatTimeOrDash(registration.created_at)],
      ['Client', registration.client_id ?? '-'],
      ['Scopes', registration.scopes || '-'],
      ['Grants', registration.grants || '-'],
      ['Link valid until', formatTimeOrDash(registration.offer_until)],
    ]),
    json: { agent: toAgentJson(services, agent) },
  };
}

export function buildDecisionReport(
  services: KeyedCliServices,
  agent: RegistrationWithClient,
  done: string,
): CommandReport {
  return { text: `${done}\n`, json: { agent: toAgentJson(services, agent) } };
}
