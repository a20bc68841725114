/** Agents: who asks to become a client, what the maintainer decides, and what their clients may do. */
import {
  approve,
  type Choice,
  reject,
  rotate,
  type Standing,
  standingOf,
  suspend,
} from '#clients/approval.ts';
import { grantTypes } from '#clients/grant-types.ts';
import { contactOf } from '#clients/registration-mail.ts';
import { scopes as allScopes, isScope } from '#platform/scopes.ts';
import { listRegistrations, type Registration } from '#store/registrations.ts';
import { dayText, iso, timeText } from './case-facts.ts';
import { command, demanded, misuse, type Report } from './command.ts';
import { cursorLine, limitOf, nextCursor, pageHelp, pageOptions, readCursor } from './list-pages.ts';
import { inKeyedOffice, type KeyedOffice } from './office.ts';
import { pairs, table } from './table.ts';
import { visible } from './terminal-text.ts';

const statuses: readonly Registration['status'][] = ['pending', 'approved', 'collected', 'rejected'];

export const listAgents = command({
  usage: `agents list [--status ${statuses.join('|')}] [--limit N] [--after CURSOR]`,
  about: 'List registrations, the oldest first.',
  help: [['--status STATUS', 'only these'], ...pageHelp],
  options: { ...pageOptions, status: { type: 'string' } },
  operands: 0,
  work: async ({ limit: limitText, after: cursor, status: statusText }) => {
    const limit = limitOf(limitText);
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const status = statusText === undefined ? undefined : statusOf(statusText);
    return await inKeyedOffice(async (office) => {
      const { records } = office.store;
      const from = after ? { after: { created_at: after.at, id: after.id } } : {};
      const found = await listRegistrations(records, { limit, status, ...from });
      const last = found.at(-1);
      const next = nextCursor(found.length, limit, last && { at: last.created_at, id: last.id });
      const standings = await Promise.all(found.map(({ id }) => standingOf(records, id)));
      return {
        text: standings.length === 0 ? 'No agents.\n' : agentTable(standings) + cursorLine(next),
        json: { agents: standings.map((standing) => agentJson(office, standing)), next },
      };
    });
  },
});

export const showAgent = command({
  usage: 'agents show ID',
  about:
    'Show a registration, with whoever can be reached about it. ID is that of the registration or the client.',
  options: {},
  operands: 1,
  work: async (_values, [id]) =>
    await inKeyedOffice(async (office) =>
      facts(office, await standingOf(office.store.records, demanded(id, 'ID'))),
    ),
});

export const approveAgent = command({
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
    const choice = choiceOf(values);
    return await inKeyedOffice(async (office) => {
      const standing = await approve(office, demanded(id, 'ID'), choice);
      return done(
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
  readonly decide: (office: KeyedOffice, id: string) => Promise<Standing>;
  readonly said: string;
}

function decision({ usage, about, decide, said }: Decision) {
  return command({
    usage,
    about,
    options: {},
    operands: 1,
    work: async (_values, [id]) =>
      await inKeyedOffice(async (office) => done(office, await decide(office, demanded(id, 'ID')), said)),
  });
}

export const rejectAgent = decision({
  usage: 'agents reject ID',
  about: 'Refuse a registration, or take back an approval whose credentials nobody has collected.',
  decide: reject,
  said: 'Rejected. It is forgotten 30 days after it came.',
});

export const suspendAgent = decision({
  usage: 'agents suspend ID',
  about: 'Refuse the tokens and the secret of a client, at once. `agents approve ID` lets it work again.',
  decide: suspend,
  said: 'Suspended, from this moment.',
});

export const rotateAgent = decision({
  usage: 'agents rotate ID',
  about: `End the secret of a client and its access tokens, at once; a letter with a link offers a new one.
What people allowed the client stays.`,
  decide: rotate,
  said: 'The old secret is of no more use. A letter with a link to a new one is on its way.',
});

function statusOf(text: string): Registration['status'] {
  const status = statuses.find((each) => each === text);
  if (status === undefined) throw misuse(`--status is one of ${statuses.join(', ')}`);
  return status;
}

function choiceOf({ scopes, grants }: { scopes?: string; grants?: string }): Choice | null {
  if (scopes === undefined && grants === undefined) return null;
  if (scopes === undefined || grants === undefined) throw misuse('--scopes and --grants go together');
  return {
    scopes: namesIn(scopes).map((name) => (isScope(name) ? name : unknown('scope', name, allScopes))),
    grants: namesIn(grants).map(
      (name) => grantTypes.find((grant) => grant === name) ?? unknown('grant', name, grantTypes),
    ),
  };
}

function namesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

function unknown(kind: string, name: string, known: readonly string[]): never {
  throw misuse(`There is no ${kind} ${name}; there are ${known.join(', ')}`);
}

/** How its client stands, if it has one; else how its registration does. */
function stateOf({ registration, client }: Standing): string {
  if (!client) return registration.status;
  if (client.status === 'suspended') return 'suspended';
  return registration.status === 'approved' ? 'rotating' : 'active';
}

function agentTable(standings: readonly Standing[]): string {
  const rows = standings.map((standing) => {
    const { id, name, created_at } = standing.registration;
    return [id, stateOf(standing), dayText(created_at), visible.line(name)];
  });
  return table(['REGISTRATION', 'STATE', 'CAME ON', 'NAME'], rows);
}

function facts(office: KeyedOffice, standing: Standing): Report {
  const { registration } = standing;
  const redirects = JSON.parse(registration.redirect_uris) as string[];
  return {
    text: pairs([
      ['Registration', registration.id],
      ['State', stateOf(standing)],
      ['Name', visible.line(registration.name)],
      ['Contact', contactOf(office.keyring, registration)],
      ['Known by', registration.identity_type],
      ['Credentials', registration.credentials.replace(' ', ', ')],
      ['Redirects', redirects.length === 0 ? '-' : redirects.join('\n')],
      ['Came', timeText(registration.created_at)],
      ['Client', registration.client_id ?? '-'],
      ['Scopes', registration.scopes || '-'],
      ['Grants', registration.grants || '-'],
      ['Link until', timeText(registration.offer_until)],
    ]),
    json: { agent: agentJson(office, standing) },
  };
}

function done(office: KeyedOffice, standing: Standing, sentence: string): Report {
  return { text: `${sentence}\n`, json: { agent: agentJson(office, standing) } };
}

/** Names and times as programs read them; they do not change. */
function agentJson({ keyring }: KeyedOffice, standing: Standing) {
  const { registration } = standing;
  return {
    registration_id: registration.id,
    state: stateOf(standing),
    client_name: registration.name,
    contact: contactOf(keyring, registration),
    identity_type: registration.identity_type,
    credential_types: registration.credentials.split(' '),
    redirect_uris: JSON.parse(registration.redirect_uris) as string[],
    created_at: iso(registration.created_at),
    client_id: registration.client_id,
    scopes: registration.scopes === '' ? [] : registration.scopes.split(' '),
    grants: registration.grants === '' ? [] : registration.grants.split(' '),
    link_until: iso(registration.offer_until),
  };
}
