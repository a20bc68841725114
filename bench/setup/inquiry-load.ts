/** The load of sealed inquiries on the service: each request redeems a paid order, which is stored before the round. */
import type { BenchLoad } from '#bench/load/measure.ts';
import type { HttpsClient } from '#test/https-client.ts';
import { type BenchOffice, insertPaidOrders } from './office.ts';
import { sealBenchInquiry } from './sealed-inquiry.ts';
import { requestBearer } from './token-request.ts';

/** More than a round can use. */
const ORDERS_FOR_A_ROUND = 8_000;

export interface InquiryLoads {
  readonly ours: BenchLoad;
  /** Equally long bodies, always for the same order. */
  readonly bare: BenchLoad;
}

export async function createInquiryLoads(
  office: BenchOffice,
  get: HttpsClient,
  ordersForRound = ORDERS_FOR_A_ROUND,
): Promise<InquiryLoads> {
  const { createBody } = await sealBenchInquiry(get);
  const headers = { 'content-type': 'application/json', ...(await requestBearer(get, office.client)) };
  const request = { path: '/api/inquiries', method: 'POST', headers } as const;
  const orders = await insertPaidOrders(office, 1);
  const [first = ''] = orders;
  return {
    bare: { ...request, vary: () => ({ body: createBody(first) }) },
    ours: {
      ...request,
      vary: () => ({ body: createBody(orders.pop() ?? '') }),
      prepare: async () => {
        if (orders.length >= ordersForRound) return;
        orders.push(...(await insertPaidOrders(office, ordersForRound - orders.length)));
      },
    },
  };
}
