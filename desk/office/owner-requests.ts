/** The requests of owners, whose answers are validated like all others. */
import { isId } from '#platform/text/id-pattern.ts';
import {
  type DeskAgentDecision,
  DeskAgentSchema,
  type DeskAgents,
  DeskAgentsSchema,
  type DeskOrders,
  DeskOrdersSchema,
} from '#wire/desk-lists.ts';
import { OfficeFault } from './office-fault.ts';
import { createHostileFault } from './office-http.ts';
import type { OfficeSigner } from './office-session.ts';
import { toListPath, walkPages } from './page-walk.ts';

export type DeskOrder = DeskOrders['orders'][number];

export type DeskAgent = DeskAgents['agents'][number];

export interface AgentList {
  /** The oldest first. */
  readonly agents: readonly DeskAgent[];
  /** Whether there are more than a desk lists. */
  readonly hasMore: boolean;
}

const KIB = 1024;
/** After a restore every paid and unused order is listed: a few thousand. */
const MAX_ORDERS_BYTES = 4 * KIB * KIB;
/** Fifty thousand orders. */
const MAX_ORDER_PAGES = 1_000;
/** Room for fifty agents, each with its redirect addresses. */
const MAX_AGENTS_BYTES = 2 * KIB * KIB;
const MAX_AGENT_BYTES = 128 * KIB;
/** A thousand agents: registrations that are rejected or not decided are deleted after a month. */
const MAX_AGENT_PAGES = 20;
const NO_CONTENT = 204;

/** All pages, because a dispute, which has a deadline, may be last. */
export async function listOrders(signer: OfficeSigner): Promise<DeskOrders['orders']> {
  const orders: DeskOrders['orders'] = [];
  const walk = { list: 'list of orders', maxPages: MAX_ORDER_PAGES };
  for await (const page of walkPages(walk, (after) => fetchOrderPage(signer, after)))
    orders.push(...page.orders);
  return orders;
}

async function fetchOrderPage(signer: OfficeSigner, after: string | undefined): Promise<DeskOrders> {
  const path = toListPath('/orders', after);
  return await signer.ask(DeskOrdersSchema, { method: 'GET', path, maxBytes: MAX_ORDERS_BYTES });
}

/** All pages, because agents that wait for a decision come last. Stops at the maximum if the list is longer. */
export async function listAgents(signer: OfficeSigner): Promise<AgentList> {
  const agents: DeskAgent[] = [];
  let pages = 0;
  // One more than is read, so that the walk itself never throws.
  const walk = { list: 'list of agents', maxPages: MAX_AGENT_PAGES + 1 };
  for await (const page of walkPages(walk, (after) => fetchAgentPage(signer, after))) {
    agents.push(...page.agents);
    pages += 1;
    if (pages === MAX_AGENT_PAGES) return { agents, hasMore: page.next !== null };
  }
  return { agents, hasMore: false };
}

async function fetchAgentPage(signer: OfficeSigner, after: string | undefined): Promise<DeskAgents> {
  return await signer.ask(DeskAgentsSchema, {
    method: 'GET',
    path: toListPath('/agents', after),
    maxBytes: MAX_AGENTS_BYTES,
  });
}

export async function postAgentDecision(
  signer: OfficeSigner,
  id: string,
  decision: DeskAgentDecision,
): Promise<DeskAgent> {
  const path = `/agents/${requireId(id)}`;
  const agent = await signer.ask(DeskAgentSchema, {
    method: 'POST',
    path,
    json: decision,
    maxBytes: MAX_AGENT_BYTES,
  });
  if (agent.registration_id === id) return agent;
  throw createHostileFault('it is about another agent');
}

export async function postOrder(signer: OfficeSigner, id: string, act: 'done' | 'release'): Promise<void> {
  const path = `/orders/${requireId(id)}/${act}`;
  const { status } = await signer.send({ method: 'POST', path, maxBytes: KIB });
  if (status !== NO_CONTENT) throw createHostileFault('it does not say that this was done');
}

/** Prevents anything but an id from getting into a path at the office. */
function requireId(id: string): string {
  if (isId(id)) return id;
  throw new OfficeFault('refused', 'There is no such entry.');
}
