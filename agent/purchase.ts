/** Buys a tier: prints the address where a person pays, and waits until that has happened. */
import { randomUUID } from 'node:crypto';
import { AgentFailure } from './failure.ts';
import { printText } from './printed-text.ts';
import type { ConnectedAgent } from './run.ts';
import { fetchJson } from './service.ts';

const POLL_SECONDS = 5;

interface Order {
  readonly id: string;
  readonly status: string;
}

export async function ensurePaid(agent: ConnectedAgent, tier: string): Promise<string> {
  const { service, state, callService, sendRequest } = agent;
  if (state.facts.orderId) return state.facts.orderId;
  const status = await fetchJson<{ configured: boolean }>(new URL(`${service.api}/stripe/status`));
  if (!status.configured) throw new AgentFailure('Payments are closed at the moment.');
  const checkout = state.facts.checkout ?? { key: randomUUID(), tier };
  state.store({ checkout });
  const answer = await sendRequest('POST', '/stripe/checkout', {
    body: { tier: checkout.tier },
    idempotencyKey: checkout.key,
  });
  const path = requireOrderPath(service.api, answer.headers.get('location'));
  const { url } = (await answer.json()) as { url: string };
  printText(`A person pays at ${url}`);
  for (;;) {
    const order = await callService<Order>('GET', path);
    if (order.status === 'paid') {
      state.store({ orderId: order.id });
      printText(`Paid: order ${order.id}.`);
      return order.id;
    }
    if (order.status !== 'pending')
      throw new AgentFailure(`The order is ${order.status}; buy again with another --state.`);
    await agent.wait(POLL_SECONDS);
  }
}

/** The order that the checkout made. The token is for the API alone, so no other address is followed. */
export function requireOrderPath(api: string, location: string | null): string {
  const path = location?.startsWith(api) ? location.slice(api.length) : '';
  if (/^\/orders\/[\w-]+$/.test(path)) return path;
  throw new AgentFailure('The checkout does not say where its order is.');
}
