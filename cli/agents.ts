/** Agents: who asks to become a client, what the maintainer decides, and what their clients may do. */
import {
  type ApprovedAccess,
  approveRegistration,
  type RegistrationWithClient,
  rejectRegistration,
  requireRegistrationWithClient,
  rotateClientSecret,
  suspendClient,
} from '#clients/approval.ts';
import { grantTypes } from '#clients/grant-types.ts';
import { decryptRegistrationContact } from '#clients/registration-mail.ts';
import { toIsoTimeOrNull } from '#platform/iso-time.ts';
import { readListPage } from '#platform/page-cursor.ts';
import { SCOPES as allScopes, isScope } from '#platform/scopes.ts';
import { listRegistrations, type Registration } from '#store/registrations.ts';
import { formatDayOrDash, formatTimeOrDash } from './case-facts.ts';
import { type CommandReport, createCommand, createUsageFailure, requireOperand } from './command.ts';
import { formatNextPageHint, pagingHelp, pagingOptions, parsePageOptions } from './list-pages.ts';
import { type KeyedCliServices, withStoreAndKeyring } from './office.ts';
import { formatPairs, formatTable } from './table.ts';
import { terminalSafe } from './terminal-text.ts';

const statuses: readonly Registration['status'][] = ['pending', 'approved', 'collected', 'rejected'];

export const listAgentsCommand = createCommand({
  usage: `agents list [--status ${statuses.join('|')}] [--limit N] [--after CURSOR]`,
  about: 'List registrations, the oldest first.',
  help: [['--status STATUS', 'only these'], ...pagingHelp],
  options: { ...pagingOptions, status: { type: 'string' } },
  operands: 0,
  work: async ({ status: statusText, ...options }) => {
    const asked = parsePageOptions(options);
    const status = statusText === undefined ? undefined : parseStatus(statusText);
    return await withStoreAndKeyring(async (office) => {
      const { records } = office.store;
      const { rows, next } = await readListPage(
        asked,
        (page) => listRegistrations(records, status, page),
        ({ created_at }) => created_at,
      );
      const standings = await Promise.all(rows.map(({ id }) => requireRegistrationWithClient(records, id)));
      return {
        text:
          standings.length === 0 ? 'No agents.\n' : formatAgentTable(standings) + formatNextPageHint(next),
        json: { agents: standings.map((standing) => toAgentJson(office, standing)), next },
      };
    });
  },
});

export const showAgentCommand = createCommand({
  usage: 'agents show ID',
  about:
    'Show a registration, with whoever can be reached about it. ID is that of the registration or the client.',
  options: {},
  operands: 1,
  work: async (_values, [id]) =>
    await withStoreAndKeyring(async (office) =>
      buildAgentReport(
        office,
        await requireRegistrationWithClient(office.store.records, requireOperand(id, 'ID')),
      ),
    ),
});

export const approveAgentCommand = createCommand({
  usage: 'agents approve ID [--scopes "SCOPE…" --grants "GRANT…"]',
  about: `Let an agent have credentials, or change what its client may do.
The agent collects them by itself, or its contact does with a link by e-mail, good for 72 hours.
Approving again sends a new link; approving a suspended client lets it work again.`,
  help: [
    ['--scopes "SCOPE…"', `of ${allScopes.join(', ')}`],
    ['--grants "GRANT…"', `of ${grantTypes.join(', ')}`],
  ],
  options: { scopes: { type: 'string' }, grants: { type: 'string' } },
  operands: 1,
  work: async (values, [id]) => {
    const choice = parseApprovalChoice(values);
    return await withStoreAndKeyring(async (office) => {
      const standing = await approveRegistration(office, requireOperand(id, 'ID'), choice);
      return buildDecisionReport(
        office,
        standing,
        standing.client ? 'Active.' : 'Approved. A letter with a link is on its way.',
      );
    });
  },
});

interface Decision {
  readonly usage: string;
  readonly about: string;
  readonly decide: (office: KeyedCliServices, id: string) => Promise<RegistrationWithClient>;
  readonly said: string;
}

function createDecisionCommand({ usage, about, decide, said }: Decision) {
  return createCommand({
    usage,
    about,
    options: {},
    operands: 1,
    work: async (_values, [id]) =>
      await withStoreAndKeyring(async (office) =>
        buildDecisionReport(office, await decide(office, requireOperand(id, 'ID')), said),
      ),
  });
}

export const rejectAgentCommand = createDecisionCommand({
  usage: 'agents reject ID',
  about: 'Refuse a registration, or take back an approval whose credentials nobody has collected.',
  decide: rejectRegistration,
  said: 'Rejected. It is forgotten 30 days after it came.',
});

export const suspendAgentCommand = createDecisionCommand({
  usage: 'agents suspend ID',
  about: 'Refuse the tokens and the secret of a client, at once. `agents approve ID` lets it work again.',
  decide: suspendClient,
  said: 'Suspended, from this moment.',
});

export const rotateAgentCommand = createDecisionCommand({
  usage: 'agents rotate ID',
  about: `End the secret of a client and its access tokens, at once; a letter with a link offers a new one.
What people allowed the client stays.`,
  decide: rotateClientSecret,
  said: 'The old secret is of no more use. A letter with a link to a new one is on its way.',
});

function parseStatus(text: string): Registration['status'] {
  const status = statuses.find((each) => each === text);
  if (status === undefined) throw createUsageFailure(`--status is one of ${statuses.join(', ')}`);
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

/** How its client stands, if it has one; else how its registration does. */
function toAgentState({ registration, client }: RegistrationWithClient): string {
  if (!client) return registration.status;
  if (client.status === 'suspended') return 'suspended';
  return registration.status === 'approved' ? 'rotating' : 'active';
}

function formatAgentTable(standings: readonly RegistrationWithClient[]): string {
  const rows = standings.map((standing) => {
    const { id, name, created_at } = standing.registration;
    return [id, toAgentState(standing), formatDayOrDash(created_at), terminalSafe.line(name)];
  });
  return formatTable(['REGISTRATION', 'STATE', 'CAME ON', 'NAME'], rows);
}

function buildAgentReport(office: KeyedCliServices, standing: RegistrationWithClient): CommandReport {
  const { registration } = standing;
  const redirects = JSON.parse(registration.redirect_uris) as string[];
  return {
    text: formatPairs([
      ['Registration', registration.id],
      ['State', toAgentState(standing)],
      ['Name', terminalSafe.line(registration.name)],
      ['Contact', decryptRegistrationContact(office.keyring, registration)],
      ['Known by', registration.identity_type],
      ['Credentials', registration.credentials.replace(' ', ', ')],
      ['Redirects', redirects.length === 0 ? '-' : redirects.join('\n')],
      ['Came', formatTimeOrDash(registration.created_at)],
      ['Client', registration.client_id ?? '-'],
      ['Scopes', registration.scopes || '-'],
      ['Grants', registration.grants || '-'],
      ['Link until', formatTimeOrDash(registration.offer_until)],
    ]),
    json: { agent: toAgentJson(office, standing) },
  };
}

function buildDecisionReport(
  office: KeyedCliServices,
  standing: RegistrationWithClient,
  sentence: string,
): CommandReport {
  return { text: `${sentence}\n`, json: { agent: toAgentJson(office, standing) } };
}

/** Names and times as programs read them; they do not change. */
function toAgentJson({ keyring }: KeyedCliServices, standing: RegistrationWithClient) {
  const { registration } = standing;
  return {
    registration_id: registration.id,
    state: toAgentState(standing),
    client_name: registration.name,
    contact: decryptRegistrationContact(keyring, registration),
    identity_type: registration.identity_type,
    credential_types: registration.credentials.split(' '),
    redirect_uris: JSON.parse(registration.redirect_uris) as string[],
    created_at: toIsoTimeOrNull(registration.created_at),
    client_id: registration.client_id,
    scopes: registration.scopes === '' ? [] : registration.scopes.split(' '),
    grants: registration.grants === '' ? [] : registration.grants.split(' '),
    link_until: toIsoTimeOrNull(registration.offer_until),
  };
}
