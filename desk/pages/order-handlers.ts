/** Answers for orders to review: the list, and what an owner does about one. */
import type { BrowserVisit, DeskAnswer, DeskRequest } from '#desk/loopback/page-route.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { describeOrderTrouble, ORDER_STATES, toOrderState } from '#desk/model/order-trouble.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { DeskOrder } from '#desk/office/owner-requests.ts';
import { type Html, html } from '#view/html.ts';
import { readText } from './case/case-handlers.ts';
import { renderColumnPage, renderOwnersOnly } from './column-page.ts';
import { renderStrips } from './desk-strips.ts';
import { renderFormToken } from './page-frame.ts';

interface OrderPageView {
  readonly orders: readonly DeskOrder[];
  readonly visit: BrowserVisit;
  /** Why the last act was not done. */
  readonly refusal: string | null;
}

const ABOUT =
  'Payments that the office cannot settle by itself, by their day. Nothing here leads to a case, and no case leads here: only the reference inside a case does.';

const NOTHING = html`<div class="empty"><p class="title">No order needs review</p><p>What is paid, refunded or given up settles itself.</p></div>`;

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
      'You did not confirm that the order was not used after the backup, so it stays on hold.',
    );
  return await applyOrderAct(request, {
    act: async (id) => await request.desk.office.releaseOrder(id),
    said: { strong: 'Released.', text: 'The buyer can send the form now.' },
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

function renderOrderPage({ orders, visit, refusal }: OrderPageView): Html {
  const main =
    orders.length === 0 ? NOTHING : html`${ORDER_STATES.map((state) => renderTask(state, orders, visit))}`;
  return renderColumnPage({ title: 'Orders', about: ABOUT, refusal, main });
}

function renderTask(state: string | null, orders: readonly DeskOrder[], visit: BrowserVisit): Html | null {
  const ofState = orders.filter(({ why }) => toOrderState(why) === state);
  const { length: count } = ofState;
  if (count === 0) return null;
  const { state: label, one, many, means, steps } = describeOrderTrouble(state);
  return html`<section class="task" aria-label="${label}">
<p class="label">${label}</p>
<div class="sheet">
<div><h2>${count} ${count === 1 ? one : many}</h2><p class="small">${means}</p></div>
<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
${renderTable(label, ofState, visit)}
</div>
</section>
`;
}

function renderTable(label: string, orders: readonly DeskOrder[], visit: BrowserVisit): Html {
  return html`<table class="grid orders">
<caption class="unseen">${label}</caption>
<thead><tr><th scope="col">Order</th><th scope="col">Tier</th><th scope="col">Made on</th><th scope="col">Do</th></tr></thead>
<tbody>${orders.map((order) => renderOrder(order, visit))}</tbody>
</table>`;
}

function renderOrder({ id, tier, why, made_on: day }: DeskOrder, visit: BrowserVisit): Html {
  const { act } = describeOrderTrouble(toOrderState(why));
  return html`<tr><th scope="row" class="code">${id}</th><td data-label="Tier">${showLine(tier)}</td><td data-label="Made on">${day}</td><td class="do">${act === 'done' ? renderDone(id, visit) : act === 'release' ? renderRelease(id, visit) : 'At the server'}</td></tr>
`;
}

function renderDone(id: string, visit: BrowserVisit): Html {
  return html`<form method="dialog" action="/orders/${id}/done">${renderFormToken(visit)}<button class="button quiet little" type="submit">Done<span class="unseen"> with ${id}</span></button></form>`;
}

/** Released by mistake, an order that was used opens a second form for one payment. */
function renderRelease(id: string, visit: BrowserVisit): Html {
  return html`<details><summary>Release<span class="unseen"> ${id}</span></summary><form method="dialog" action="/orders/${id}/release">${renderFormToken(visit)}<label class="pick"><input type="checkbox" name="sure" value="yes" required><span>It was not used after the backup.</span><span class="hint">If it was, it can be used a second time. This cannot be taken back.</span></label><div class="acts"><button class="button quiet little" type="submit">Release it</button></div></form></details>`;
}
