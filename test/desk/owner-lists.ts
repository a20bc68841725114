/** Lists that a scripted office shows to owners, whose decisions it accepts. */
import type { DeskAgent, DeskOrder } from '#desk/office/waiting-lists.ts';
import type { DeskAgentDecision, DeskRefunds } from '#wire/desk-lists.ts';
import type { ReceivedRequest, ScriptedAnswer } from './scripted-office.ts';

interface OwnerLists {
  readonly orders: DeskOrder[];
  readonly refunds: DeskRefunds['refunds'];
  readonly agents: DeskAgent[];
}

export function answerFromLists(lists: OwnerLists) {
  return ({ method, path, body }: ReceivedRequest): ScriptedAnswer | null => {
    const [, list = '', id] = path.split('/');
    const rows: Partial<DeskOrder & DeskAgent>[] | undefined = lists[list as keyof OwnerLists];
    if (!rows) return null;
    if (method === 'GET') return { json: { [list]: rows, next: null } };
    const index = rows.findIndex((row) => (row.id ?? row.registration_id) === id);
    if (index < 0) return { status: 404, json: { code: 'not_found' } };
    const [row] = rows.splice(index, 1);
    if (list !== 'agents') return { raw: (response) => response.writeHead(204).end() };
    const { decision } = JSON.parse(body) as DeskAgentDecision;
    rows.push({ ...row, state: DECIDED_STATES[decision] });
    return { json: rows.at(-1) };
  };
}

export function createOrder(why: string, changes: Partial<DeskOrder> = {}): DeskOrder {
  return {
    id: `${why}0000000000000000000000`.slice(0, 22),
    tier: 'Trace',
    why,
    made_on: '2026-11-15',
    ...changes,
  };
}

const DECIDED_STATES = { approve: 'approved', reject: 'rejected', suspend: 'suspended', rotate: 'rotating' };

export function createAgent(state: string, changes: Partial<DeskAgent> = {}): DeskAgent {
  return {
    registration_id: `${state}AAAAAAAAAAAAAAAAAAAAAA`.slice(0, 22),
    state,
    client_name: 'Example Research',
    contact: 'agents@research.example',
    identity_type: 'email',
    credential_types: ['dpop'],
    redirect_uris: ['https://research.example/callback'],
    created_at: '2026-11-15T09:41:00Z',
    client_id: null,
    scopes: [],
    grants: [],
    link_until: null,
    ...changes,
  };
}
