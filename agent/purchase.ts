/** Buys a tier: prints the address where a person pays, and waits until that has happened. */
import { randomUUID } from 'node:crypto';
import { AgentFailure } from './failure.ts';
import type { ConnectedAgent } from './run.ts';
import { fetchJson } from './service.ts';

const POLL_SECONDS = 5;

interface Order {
  readonly id: string;
  readonly status: string;
  readonly created_at: string;
}

export async function ensurePaid(agent: ConnectedAgent, tier: string): Promise<string> {
  const { service, state, callService } = agent;
  if (state.facts.orderId) return state.facts.orderId;
  const status = await fetchJson<{ configured: boolean }>(new URL(`${service.api}/stripe/status`));
  if (!status.configured) throw new AgentFailure('Payments are closed at the moment.');
  const checkout = state.facts.checkout ?? { key: randomUUID(), tier };
  state.store({ checkout });
  const { url } = await callService<{ url: string }>('POST', '/stripe/checkout', {
    body: { tier: checkout.tier },
    idempotencyKey: checkout.key,
  });
  console.log(`A person pays at ${url}`);
  for (;;) {
    const order = await findNewestOpenOrder(agent);
    if (order.status === 'paid') {
      state.store({ orderId: order.id });
      console.log(`Paid: order ${order.id}.`);
      return order.id;
    }
    await agent.wait(POLL_SECONDS);
  }
}

/** Orders of one day come in no particular order; an open one has its exact time. */
async function findNewestOpenOrder({ callService }: ConnectedAgent): Promise<Order> {
  const { orders } = await callService<{ orders: Order[] }>('GET', '/orders?limit=100');
  const [newest] = orders
    .filter(({ status }) => status === 'pending' || status === 'paid')
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at));
  if (!newest) throw new AgentFailure('The order is no longer open; buy again with another --state.');
  return newest;
}
