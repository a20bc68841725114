/** Handlers for money that waits for the desk: refunds of declined cases for all, orders to review for owners. */
import type { BrowserVisit, DeskAnswer, DeskRequest } from '#desk/loopback/page-route.ts';
import type { DeskWork } from '#desk/model/desk-work.ts';
import { describeOrderTrouble, FIND_PAYMENT, ORDER_STATES, toOrderState } from '#desk/model/order-trouble.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { readText } from '#desk/model/unsent-form.ts';
import { OfficeFault } from '#desk/office/office-fault.ts';
import type { DeskOrder } from '#desk/office/owner-requests.ts';
import type { OwedRefund } from '#desk/office/refund-reader.ts';
import { type Html, html } from '#view/html.ts';
import { REFUND_DAYS } from '#wire/keep-days.ts';
import { renderColumnPage } from './column-page.ts';
import { renderFormToken } from './page-frame.ts';

interface OrderPageView {
  readonly refunds: readonly OwedRefund[];
  /** Null for people who may not decide about orders. */
  readonly orders: readonly DeskOrder[] | null;
  readonly visit: BrowserVisit;
}

const ABOUT_REFUNDS = 'Payments of declined cases that are to be refunded at the provider.';
const ABOUT =
  'Payments to refund, and payments that the office cannot settle by itself, by day. Nothing here identifies a case; only the reference inside a case links it to its payment.';

const NOTHING = html`<div class="empty"><p class="title">Nothing is waiting here</p><p>Orders that are paid, refunded or abandoned are settled automatically. Payments of declined cases are listed here until someone at the desk marks the refund as done.</p></div>`;

type Request = DeskRequest<DeskWork>;

export async function answerOrders(request: Request): Promise<DeskAnswer> {
  return await answerOrderPage(request, null);
}

async function answerOrderPage({ desk, visit }: Request, refusal: string | null): Promise<DeskAnswer> {
  const isOwner = await desk.isOwner();
  const { refunds, orders } = await desk.watch.ask(async () => ({
    refunds: await desk.office.listRefunds(),
    orders: isOwner ? await desk.office.listOrders() : null,
  }));
  desk.recordCount('orders', refunds.length + (orders?.length ?? 0));
  const main = renderOrderPage({ refunds, orders, visit });
  const refused = refusal === null ? undefined : { fact: 'Nothing was changed', why: refusal };
  return { page: { title: 'Desk: orders', nav: 'orders', main, refusal: refused } };
}

export async function answerOrderDone(request: Request): Promise<DeskAnswer> {
  return await applyOrderAct(request, {
    act: async (id) => await request.desk.office.markOrderDone(id),
    said: { strong: 'Done.', text: 'The order is listed again if its payment changes.' },
  });
}

export async function answerRefundDone(request: Request): Promise<DeskAnswer> {
  return await applyOrderAct(request, {
    act: async (id) => await request.desk.office.settleRefund(id),
    said: { strong: 'Done.', text: 'The log records that you marked this refund as made.' },
  });
}

export async function answerOrderRelease(request: Request): Promise<DeskAnswer> {
  if (readText(request.form, 'sure') !== 'yes')
    return await answerOrderPage(
      request,
      'The order stays on hold. To release it, confirm that it was not used after the backup.',
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

/** A refusal of the office is shown above the current list. */
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

function renderOrderPage({ refunds, orders, visit }: OrderPageView): Html {
  const tasks =
    orders === null ? null : html`${ORDER_STATES.map((state) => renderTask(state, orders, visit))}`;
  const main =
    refunds.length + (orders?.length ?? 0) === 0 ? NOTHING : html`${renderRefunds(refunds, visit)}${tasks}`;
  return renderColumnPage({ title: 'Orders', about: orders === null ? ABOUT_REFUNDS : ABOUT, main });
}

function renderRefunds(refunds: readonly OwedRefund[], visit: BrowserVisit): Html | null {
  if (refunds.length === 0) return null;
  const rows = refunds.map(
    ({ id, refund, isRestored }) =>
      html`<tr><th scope="row" class="code">${refund === null ? 'sealed to a colleague' : showLine(refund.payment_ref)}${isRestored ? html` <span class="tag">Restored</span>` : null}</th><td data-label="Tier">${showLine(refund?.tier ?? '')}</td><td data-label="Declined on">${showLine(refund?.declined_on ?? '')}</td><td class="do">${renderDone(`/refunds/${id}`, refund?.payment_ref ?? 'it', visit)}</td></tr>
`,
  );
  return html`<section class="task" aria-label="Refunds">
<p class="label">Refunds</p>
<div class="sheet">
<div><h2>${refunds.length} ${refunds.length === 1 ? 'declined case is' : 'declined cases are'} to be refunded</h2><p class="small">This list is sealed to the desk, so that no record at the office links a payment to a case. A refund stays here and in the digest after its case is purged, for at most ${REFUND_DAYS} days.</p></div>
<ol class="steps"><li>${FIND_PAYMENT}</li><li>Refund it there${refunds.some(({ isRestored }) => isRestored) ? '. A refund with the tag Restored may have been made already: check before you make it' : null}.</li><li>Then mark it as done here.</li></ol>
<table class="grid orders">
<caption class="unseen">Refunds</caption>
<thead><tr><th scope="col">Order</th><th scope="col">Tier</th><th scope="col">Declined on</th><th scope="col">Action</th></tr></thead>
<tbody>${rows}</tbody>
</table>
</div>
</section>
`;
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
<thead><tr><th scope="col">Order</th><th scope="col">Tier</th><th scope="col">Made on</th><th scope="col">Action</th></tr></thead>
<tbody>${orders.map((order) => renderOrder(order, visit))}</tbody>
</table>`;
}

function renderOrder({ id, tier, why, made_on: day }: DeskOrder, visit: BrowserVisit): Html {
  const { act } = describeOrderTrouble(toOrderState(why));
  return html`<tr><th scope="row" class="code">${id}</th><td data-label="Tier">${showLine(tier)}</td><td data-label="Made on">${day}</td><td class="do">${act === 'done' ? renderDone(`/orders/${id}`, id, visit) : act === 'release' ? renderRelease(id, visit) : 'Only on the server'}</td></tr>
`;
}

function renderDone(path: string, what: string, visit: BrowserVisit): Html {
  return html`<form method="dialog" action="${path}/done">${renderFormToken(visit)}<button class="button quiet little" type="submit">Done<span class="unseen"> with ${showLine(what)}</span></button></form>`;
}

/** Releasing a used order by mistake opens a second form for one payment. */
function renderRelease(id: string, visit: BrowserVisit): Html {
  return html`<details><summary>Release<span class="unseen"> ${id}</span></summary><form method="dialog" action="/orders/${id}/release">${renderFormToken(visit)}<label class="pick"><input type="checkbox" name="sure" value="yes" required><span>It was not used after the backup.</span><span class="hint">If it was used, releasing it allows a second use. This cannot be undone.</span></label><div class="acts"><button class="button quiet little" aria-keyshortcuts="Control+Enter" type="submit">Release it</button></div></form></details>`;
}
