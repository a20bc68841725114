/** Buys a tier: prints the address where a person pays, and waits until that has happened. */
import { randomUUID } from 'node:crypto';
import { AgentFailure, printText } from './failure.ts';
import type { ConnectedAgent } from './run.ts';
import { fetchJson } from './service.ts';

const POLL_SECONDS = 5;

interface Order {
  readonly id: string;
  readonly status: string;
}

/** What to do about an order that cannot be waited for. Only an unpaid one may be bought again. */
const orderEnds: Readonly<Record<string, string>> = {
  held: 'This payment is under review, which may take hours. Do not pay again: run this again later, or write to the maintainer.',
  redeemed: 'This order has opened a case. Do not pay again: its words open it.',
  refunded: 'The payment of this order was refunded, so it opens no case. Ask the payer what they want.',
  expired: 'The payment page expired before it was paid. Run this again for a new one.',
};

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
    alsoAnswers: 409,
  });
  const path = requireOrderPath(service.api, answer.headers.get('location'));
  const { url } = (await answer.json()) as { url?: string };
  let order = await callService<Order>('GET', path);
  // Not for an order that was paid in an earlier run, or whose payment is on its way.
  if (!isPaid(order) && url) printText(`A person pays at ${url}`);
  while (!isPaid(order)) {
    await agent.wait(POLL_SECONDS);
    order = await callService<Order>('GET', path);
  }
  state.store({ orderId: order.id });
  printText(`Paid: order ${order.id}.`);
  return order.id;
}

/** False while it may still be paid; throws with what to do if waiting does not help. */
export function isPaid({ status }: Order): boolean {
  if (status === 'paid') return true;
  if (status === 'pending') return false;
  throw new AgentFailure(
    orderEnds[status] ?? `The order is ${status}. Do not pay again before you know what that means.`,
  );
}

/** The order that the checkout made. The token is for the API alone, so no other address is followed. */
export function requireOrderPath(api: string, location: string | null): string {
  const path = location?.startsWith(api) ? location.slice(api.length) : '';
  if (/^\/orders\/[\w-]+$/.test(path)) return path;
  throw new AgentFailure('The checkout does not say where its order is.');
}
