/** Commands of buying: checkouts, actions at the provider, its webhooks, and the return to the form. */
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { openPlainForm, sameOriginHeaders } from '#test/cases/plain-form.ts';
import type { Draw } from './draw.ts';
import type { Agent, PaymentTruth, Purchase } from './model.ts';
import { type Command, createChoosingCommand, requireStatus } from './simulation.ts';
import type { Ask, Instance, ProviderEvent, World } from './world.ts';

/** Page sizes: to see whether anything is new; enough for nearly all new events; enough for all. */
const EVENT_LIMITS = [1, 5, 100];
const TIERS = ['Trace', 'Dossier', 'Deep Sweep'] as const;

export const purchaseCommands: readonly Command[] = [
  { name: 'buy', weight: 5, run: async (world, draw) => await buy(world, draw, null) },
  createChoosingCommand({ name: 'buy as an agent', weight: 5 }, ({ model }) => model.agents, buy),
  createChoosingCommand({ name: 'pay', weight: 12 }, listByTruth('open'), async (world, draw, purchase) => {
    const how = draw.pick(['pay', 'pay', 'pay', 'pay', 'pay_later', 'decline']);
    return await actAtProvider(world, purchase, how);
  }),
  createChoosingCommand(
    { name: 'settle a late payment', weight: 6 },
    listByTruth('processing'),
    async (world, _draw, purchase) => await actAtProvider(world, purchase, 'settle'),
  ),
  createChoosingCommand(
    { name: 'refund', weight: 2 },
    listByTruth('paid'),
    async (world, _draw, purchase) => {
      await world.sandbox.callApi('POST', 'refunds', { payment_intent: String(purchase.payment) });
      purchase.truth = 'refunded';
      await collectEvents(world);
      return `purchase ${purchase.number} is refunded`;
    },
  ),
  createChoosingCommand(
    { name: 'dispute', weight: 3 },
    listByTruth('paid', 'disputed'),
    async (world, _draw, purchase) => {
      if (purchase.truth === 'paid') {
        const opened = await world.sandbox.callControl<{ id: string }>('POST', 'disputes', {
          payment_intent: purchase.payment,
        });
        purchase.dispute = opened.id;
        purchase.truth = 'disputed';
      } else {
        await world.sandbox.callControl('POST', `disputes/${purchase.dispute}`, { status: 'won' });
        purchase.truth = 'paid';
        // The office may know the dispute from its own check and wait for a webhook, or not know the payment yet.
        if (!['open', 'processing'].includes(purchase.told)) purchase.told = 'disputed before';
      }
      await collectEvents(world);
      return `the payment of purchase ${purchase.number} is ${purchase.truth}`;
    },
  ),
  {
    name: 'deliver a webhook',
    weight: 10,
    isPossible: ({ events }) => events.waiting.length > 0,
    run: async (world, draw) => {
      // Not always the oldest, because events arrive in any order.
      const event = draw.chance(30) ? draw.pick(world.events.waiting) : world.events.waiting[0]!;
      return await deliverEvent(world, draw, event);
    },
  },
  createChoosingCommand(
    { name: 'deliver a webhook again', weight: 2 },
    ({ events }) => events.delivered,
    deliverEvent,
  ),
  createChoosingCommand(
    { name: 'lose a webhook', weight: 2 },
    ({ events }) => events.waiting,
    async (world, _draw, event) => {
      world.events.waiting = world.events.waiting.filter((each) => each !== event);
      return `the webhook ${event.type} is lost`;
    },
  ),
  {
    name: 'return from the provider',
    weight: 4,
    isPossible: ({ model }) => model.purchases.some(({ agent }) => agent === null),
    run: async (world, draw) => {
      const own = world.model.purchases.filter(({ agent }) => agent === null);
      const purchase = draw.pick(draw.chance(30) ? own : own.slice(-3));
      const found = await openForm(world, draw.pick(world.instances), purchase);
      return `the buyer of purchase ${purchase.number} returns and finds ${found ? 'the form' : 'no form'}`;
    },
  },
];

function listByTruth(...truths: PaymentTruth[]) {
  return ({ model }: World) => model.purchases.filter(({ truth }) => truths.includes(truth));
}

async function buy(world: World, draw: Draw, agent: Agent | null): Promise<string> {
  const instance = draw.pick(world.instances);
  const tier = draw.pick(TIERS);
  const key = draw.chance(50) ? { 'idempotency-key': randomUUID() } : {};
  const ask = { method: 'POST', body: { tier }, headers: key };
  const checkout = () =>
    agent
      ? world.sendAsAgent(instance, agent, '/stripe/checkout', ask)
      : world.send(instance, '/api/stripe/checkout', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...key },
          body: JSON.stringify({ tier }),
        });
  const answer = await checkout();
  requireStatus(answer, 200);
  assert.deepEqual(Object.keys(answer.json), ['url']);
  if ('idempotency-key' in key)
    assert.equal((await checkout()).json['url'], answer.json['url'], 'a key buys twice');
  const location = answer.headers['location'] ?? '';
  const purchase: Purchase = {
    number: world.model.purchases.length + 1,
    tier,
    sessionId: String(answer.json['url']).split('/').at(-1) ?? '',
    agent,
    orderId: agent ? (location.split('/').at(-1) ?? null) : null,
    createdAt: world.now(),
    truth: 'open',
    told: 'open',
    opened: null,
    form: null,
    payment: null,
    dispute: null,
    isHeld: false,
  };
  world.model.purchases.push(purchase);
  const who = agent ? `agent ${agent.number}` : 'a buyer';
  return `${who} begins purchase ${purchase.number} of ${tier}`;
}

async function actAtProvider(world: World, purchase: Purchase, how: string): Promise<string> {
  // A session that has since expired accepts no payment.
  await world.sandbox.callControl('POST', `sessions/${purchase.sessionId}/${how}`).catch(() => undefined);
  await collectEvents(world);
  return `at the provider (${how}), purchase ${purchase.number} is ${purchase.truth}`;
}

const SESSION_TRUTHS: Readonly<Record<string, (isPaid: boolean) => PaymentTruth>> = {
  'checkout.session.completed': (isPaid) => (isPaid ? 'paid' : 'processing'),
  'checkout.session.async_payment_succeeded': () => 'paid',
  'checkout.session.async_payment_failed': () => 'failed',
  'checkout.session.expired': () => 'expired',
};

/** Records the provider's new events and the resulting truth; the story decides which webhooks arrive. */
export async function collectEvents(world: World): Promise<void> {
  for (const event of (await listLatestEvents(world)).toReversed()) {
    if (world.events.known.has(event.id)) continue;
    world.events.known.add(event.id);
    const { id, payment_intent: payment, payment_status: paid } = event.data.object;
    const purchase = world.model.purchases.find(({ sessionId }) => sessionId === id);
    const truth = SESSION_TRUTHS[event.type]?.(paid === 'paid');
    if (purchase && truth) {
      purchase.truth = truth;
      purchase.payment = payment ?? null;
    }
    // Skips sessions without a purchase: their response was lost, so they cannot be paid.
    if (truth === undefined || purchase) world.events.waiting.push(event);
  }
}

/** Returns all new events, and some known ones. */
async function listLatestEvents({ sandbox, events: { known } }: World): Promise<ProviderEvent[]> {
  let latest: ProviderEvent[] = [];
  for (const limit of EVENT_LIMITS) {
    latest = (await sandbox.callApi<{ data: ProviderEvent[] }>('GET', `events?limit=${limit}`)).data;
    if (latest.length < limit || latest.some(({ id }) => known.has(id))) break;
  }
  return latest;
}

async function deliverEvent(world: World, draw: Draw, event: ProviderEvent): Promise<string> {
  const payload = JSON.stringify(event, null, 2);
  const seconds = Math.floor(world.now() / 1_000);
  const [secret = ''] = (world.sandbox.env['STRIPE_WEBHOOK_SECRET'] ?? '').split(',').slice(-1);
  const signature = createHmac('sha256', secret).update(`${seconds}.${payload}`).digest('hex');
  const answer = await world.send(draw.pick(world.instances), '/api/stripe/webhook', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': `t=${seconds},v1=${signature}` },
    body: payload,
  });
  requireStatus(answer, 200);
  // A known event reports nothing new, and the provider is not asked again.
  if (world.events.delivered.includes(event)) return `the webhook ${event.type} arrives again`;
  world.events.waiting = world.events.waiting.filter((each) => each !== event);
  world.events.delivered.push(event);
  const { id, payment_intent: payment } = event.data.object;
  const isRead = /^(checkout\.session|charge\.refund|refund|charge\.dispute)/.test(event.type);
  const about = world.model.purchases.find(
    (each) => each.sessionId === id || (each.payment !== null && each.payment === payment),
  );
  if (about && isRead) about.told = about.truth;
  return `the webhook ${event.type} arrives`;
}

function isKnownAsPaid({ truth, told, opened, dispute }: Purchase): boolean {
  return truth === 'paid' && told === 'paid' && opened === null && dispute === null;
}

/** A returning buyer finds the form if and only if the purchase is paid or may still be, and has not been used. */
export async function openForm(world: World, instance: Instance, purchase: Purchase): Promise<boolean> {
  const { isProviderAway, isDiskFull } = world.faults;
  const path = `/inquiry?session_id=${purchase.sessionId}`;
  const landing = await world.send(instance, path, { headers: sameOriginHeaders }).catch((error: unknown) => {
    assert.ok(
      isDiskFull || !isKnownAsPaid(purchase),
      `purchase ${purchase.number} is known as paid, but away`,
    );
    throw error;
  });
  // While the provider is unavailable, the office relies on a known payment, but not on a pending one.
  if (isProviderAway) {
    const isForm = landing.status === 303;
    if (isForm) assert.ok(purchase.payment !== null && purchase.opened === null, 'a form without a payment');
    else assert.ok(!isKnownAsPaid(purchase), `purchase ${purchase.number} is known as paid, but not taken`);
    if (!isForm || purchase.truth !== 'paid') return false;
  }
  await collectEvents(world);
  purchase.told = purchase.truth;
  const isExpected = ['paid', 'processing'].includes(purchase.truth) && purchase.opened === null;
  assert.equal(
    landing.status === 303,
    isExpected,
    `purchase ${purchase.number} lands with ${landing.status}`,
  );
  if (purchase.truth !== 'paid' || !isExpected || purchase.isHeld) return false;
  const get = (address: string, ask?: Ask) => world.send(instance, address, ask);
  const form = await openPlainForm({ get }, purchase.sessionId);
  purchase.form = { cookie: form.cookie, token: form.token };
  return true;
}
