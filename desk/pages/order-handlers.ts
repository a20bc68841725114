/** Answers for orders that need a hand: the list, and what an owner does about one. */
import type { DeskAnswer, DeskRequest } from '#desk-program/loopback/page-route.ts';
import type { DeskWork } from '#desk-program/model/desk-work.ts';
import { OfficeFault } from '#desk-program/office/office-fault.ts';
import { readText } from './case-handlers.ts';
import { renderOwnersOnly } from './column-page.ts';
import { renderStrips } from './desk-strips.ts';
import { renderOrderPage } from './order-page.ts';

type Request = DeskRequest<DeskWork>;

export async function answerOrders(request: Request): Promise<DeskAnswer> {
  return await answerOrderPage(request, null);
}

async function answerOrderPage({ desk, visit }: Request, refusal: string | null): Promise<DeskAnswer> {
  const frame = { title: 'Desk: orders', nav: 'orders' } as const;
  if (!(await desk.isOwner())) {
    const main = renderOwnersOnly('Orders', 'Payments that the office cannot settle by itself.');
    return { page: { ...frame, main, strip: renderStrips(desk, visit) } };
  }
  const orders = await desk.watch.ask(
    async () => await desk.office.listOrders(),
    () => undefined,
  );
  desk.recordCount('orders', orders.length);
  const main = renderOrderPage({ orders, visit, refusal });
  const page = { ...frame, main, strip: renderStrips(desk, visit) };
  return refusal === null ? { page } : { page, status: 409 };
}

export async function answerOrderDone(request: Request): Promise<DeskAnswer> {
  return await applyOrderAct(request, {
    act: async (id) => await request.desk.office.markOrderDone(id),
    said: { strong: 'Done.', text: 'The order is listed again if its payment changes.' },
  });
}

export async function answerOrderRelease(request: Request): Promise<DeskAnswer> {
  if (readText(request.form, 'sure') !== 'yes')
    return await answerOrderPage(
      request,
      'You did not say that the order was not used after the backup, so it stays held.',
    );
  return await applyOrderAct(request, {
    act: async (id) => await request.desk.office.releaseOrder(id),
    said: { strong: 'Released.', text: 'Whoever paid can send the form now.' },
  });
}

interface OrderAct {
  readonly act: (id: string) => Promise<void>;
  readonly said: { readonly strong: string; readonly text: string };
}

/** What the office refuses is said above the list as it is now. */
async function applyOrderAct(request: Request, { act, said }: OrderAct): Promise<DeskAnswer> {
  try {
    await act(request.params['id'] ?? '');
  } catch (error) {
    if (!(error instanceof OfficeFault) || error.code !== 'refused') throw error;
    return await answerOrderPage(request, error.message);
  }
  request.desk.say(said);
  return { redirect: '/orders' };
}
