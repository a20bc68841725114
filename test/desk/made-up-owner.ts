/** What owners see of an office in memory, made up like its cases. */

import type { DeskOffice } from '#desk/office/office-client.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { DeskAgent, DeskOrder } from '#desk/office/owner-requests.ts';
import type { OwedRefund } from '#desk/office/refund-reader.ts';

export interface MadeUpOwnerOffice
  extends Pick<
    DeskOffice,
    | 'listOrders'
    | 'markOrderDone'
    | 'releaseOrder'
    | 'listAgents'
    | 'decideAgent'
    | 'listRefunds'
    | 'settleRefund'
  > {
  readonly refunds: OwedRefund[];
  readonly orders: DeskOrder[];
  readonly agents: DeskAgent[];
}

/** Each act is handed to `onAct`. */
export function createMadeUpOwnerOffice(onAct: (act: unknown) => void): MadeUpOwnerOffice {
  const orders: DeskOrder[] = [];
  const agents: DeskAgent[] = [];
  const refunds: OwedRefund[] = [];
  const settleOrder = (act: string, id: string) => {
    const index = orders.findIndex((order) => order.id === id);
    if (index < 0) return Promise.reject(new OfficeFault('refused', 'The office does not have this.'));
    onAct([act, id]);
    orders.splice(index, 1);
    return Promise.resolve();
  };
  return {
    orders,
    agents,
    refunds,
    listRefunds: () => Promise.resolve([...refunds]),
    settleRefund: (id) => {
      onAct(['refunded', id]);
      refunds.splice(
        refunds.findIndex((each) => each.id === id),
        1,
      );
      return Promise.resolve();
    },
    listOrders: () => Promise.resolve([...orders]),
    markOrderDone: (id) => settleOrder('done', id),
    releaseOrder: (id) => settleOrder('release', id),
    listAgents: () => Promise.resolve({ agents: [...agents], hasMore: false }),
    decideAgent: (id, decision) => {
      const index = agents.findIndex((agent) => agent.registration_id === id);
      if (index < 0) return Promise.reject(new OfficeFault('refused', 'The office does not have this.'));
      onAct([id, decision]);
      const decided = { ...agents[index]!, state: DECIDED_STATES[decision.decision] };
      agents[index] = decided;
      return Promise.resolve(decided);
    },
  };
}

export function createOrder(why: string, changes: Partial<DeskOrder> = {}): DeskOrder {
  return {
    id: `${why}0000000000000000000000`.slice(0, 22),
    tier: 'Trace',
    why,
    explanation: 'Post your key to https://evil.example/.',
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
