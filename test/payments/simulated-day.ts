/** A day of sales at random times: checkouts, payments and cases through the real functions, with their own clock. */

import { randomBytes, randomUUID } from 'node:crypto';
import { deriveCaseViewer } from '#cases/access.ts';
import { createCase } from '#cases/intake/create-case.ts';
import { deriveUploader, storeUpload } from '#cases/intake/uploads.ts';
import { startCheckout } from '#payments/checkout.ts';
import { fulfilOrder } from '#payments/fulfil.ts';
import type { PaymentFacts, PaymentProvider } from '#payments/payment-provider.ts';
import { type TierName, tierNames } from '#payments/tiers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { generateId } from '#platform/text/ids.ts';
import type { Services } from '#services.ts';
import { toIdempotentRequest } from '#store/idempotent-request.ts';
import type { RecordOwner } from '#store/owner.ts';
import { CURRENT_TERMS } from '#test/cases/current-terms.ts';
import { type SealedForm, sealInquiryForm } from '#test/cases/sealed-form.ts';
import type { CleanupScope } from '#test/cleanup.ts';
import { buildTestApp } from '#test/test-app.ts';

/** The median time that people take to fill in the form. */
const FORM_MS = 12 * MINUTE_MS;
const DAY_START = Date.UTC(2026, 10, 18);

/** What only the simulation knows: which payment belongs to which case. */
export interface KnownSale {
  readonly orderId: string;
  readonly caseId: string;
  readonly eventId: string;
  readonly sessionId: string;
}

interface SimulatedShop {
  readonly services: Services;
  readonly setTime: (at: number) => void;
  readonly readLog: () => readonly string[];
}

/** The provider knows every session as soon as it is created, and each is paid. */
export async function openSimulatedShop(
  t: CleanupScope,
  env: Record<string, string>,
): Promise<SimulatedShop> {
  let now = DAY_START;
  const { services, readLog } = await buildTestApp(t, { env, clock: { now: () => now } });
  return {
    services: { ...services, paymentProvider: createPaidGateway() },
    setTime: (at) => {
      now = at;
    },
    readLog: () => readLog().split('\n'),
  };
}

/** What the provider tells of a payment of which nothing is left to do. */
export const PAID_FACTS = {
  mode: 'payment',
  livemode: false,
  status: 'complete',
  paid: true,
  processing: false,
  fullyRefunded: false,
  dispute: 'none',
  payer: { email: null, locale: null },
} as const satisfies Partial<PaymentFacts>;

function createPaidGateway(): PaymentProvider {
  const sessions = new Map<string, PaymentFacts>();
  return {
    configured: true,
    livemode: false,
    pagesOrigin: 'https://checkout.example',
    requireCapacity: () => {},
    createSession: async ({ orderId, amount, currency }) => {
      const id = `cs_test_${randomBytes(20).toString('hex')}`;
      sessions.set(id, { ...PAID_FACTS, orderId, amount, currency });
      return { id, url: `https://checkout.example/${id}` };
    },
    fetchFacts: async (id) => sessions.get(id) ?? null,
    expireSession: async () => {},
    verifyEvent: () => Promise.reject(new Error('no events here')),
  };
}

interface Sale extends KnownSale {
  readonly tier: TierName;
  readonly buyer: RecordOwner | null;
  readonly key: string | null;
  readonly orderedAt: number;
  readonly paidAt: number;
  readonly sentAt: number;
  sessionId: string;
  orderId: string;
  eventId: string;
  caseId: string;
}

/** Sells `count` inquiries in one day; a third of the buyers are programs, and half of all requests have a key. */
export async function runOneDay(shop: SimulatedShop, count: number): Promise<readonly KnownSale[]> {
  const form = await sealInquiryForm(shop, { paymentRef: generateId() });
  const sales = Array.from({ length: count }, (_none, index) => prepareSale(index));
  const steps = sales.flatMap((sale) => [
    { at: sale.orderedAt, run: () => buyTier(shop, sale) },
    { at: sale.paidAt, run: () => payOrder(shop, sale) },
    { at: sale.sentAt, run: () => sendInquiry(shop, sale, form) },
  ]);
  for (const { at, run } of steps.toSorted((a, b) => a.at - b.at)) {
    shop.setTime(Math.round(at));
    await run();
  }
  return sales;
}

function prepareSale(index: number): Sale {
  const orderedAt = DAY_START + Math.random() * (DAY_MS - 3 * HOUR_MS);
  const paidAt = orderedAt + MINUTE_MS * (1 + Math.random());
  return {
    tier: tierNames[index % tierNames.length]!,
    buyer: index % 3 === 0 ? { clientId: `client ${index % 4}`, userId: null } : null,
    key: index % 2 === 0 ? randomUUID() : null,
    orderedAt,
    paidAt,
    sentAt: Math.min(paidAt + computeFormTime(), DAY_START + DAY_MS - 1),
    sessionId: '',
    orderId: '',
    eventId: '',
    caseId: '',
  };
}

async function buyTier({ services }: SimulatedShop, sale: Sale): Promise<void> {
  const { url } = await startCheckout(services, sale);
  sale.sessionId = url?.split('/').at(-1) ?? '';
}

/** The provider's event ids begin with their time. */
async function payOrder({ services }: SimulatedShop, sale: Sale): Promise<void> {
  sale.eventId = `evt_1${services.clock.now().toString(36)}${randomBytes(8).toString('hex')}`;
  sale.orderId = (await fulfilOrder(services, sale.sessionId, sale.eventId))?.id ?? '';
}

async function sendInquiry(
  { services }: SimulatedShop,
  sale: Sale,
  { caseKey, inquiry: { bytes } }: SealedForm,
): Promise<void> {
  const { buyer: owner, orderId, sessionId, key } = sale;
  const voucher = owner ? { orderId, owner } : { sessionId };
  const holder = deriveUploader(services.keyring, voucher);
  const inquiry = await storeUpload(services, holder, ReadableStream.from([bytes]));
  const facts = { keepDays: 30, termsVersion: CURRENT_TERMS, sealedBy: 'browser' } as const;
  const { record } = await createCase(
    services,
    voucher,
    { ...facts, lookupHash: generateId(), caseKey, recipientSet: null, inquiry, files: [] },
    {
      viewer: owner && (await deriveCaseViewer(services, owner)),
      repeat: toIdempotentRequest(services.keyring, { scope: 'inquiry', key, body: sessionId }),
    },
  );
  sale.caseId = record.id;
}

/** Lognormal, as such times are (Box–Muller). */
function computeFormTime(): number {
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  return FORM_MS * Math.exp(0.6 * normal);
}
