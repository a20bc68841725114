/** Handlers for money that waits for the desk: refunds of declined cases for all, orders to review for owners. */
import type { BrowserVisit, DeskAnswer } from '#desk/loopback/page-route.ts';
import type { DeskNotice, WorkRequest } from '#desk/model/desk-work.ts';
import { showLine } from '#desk/model/shown-text.ts';
import { readText } from '#desk/model/unsent-form.ts';
import { findFault } from '#desk/office/office-fault.ts';
import type { DeskOrder, OwedRefund, WaitingLists } from '#desk/office/waiting-lists.ts';
import { type Html, html } from '#view/html.ts';
import { REFUND_DAYS } from '#wire/keep-days.ts';
import { renderColumnPage, renderFormToken } from './page-frame.ts';

const ABOUT_REFUNDS = 'Payments of declined cases that are to be refunded at the provider.';
const ABOUT =
  'Payments to refund, and payments that the office cannot settle by itself, by day. Nothing here identifies a case; only the reference inside a case links it to its payment.';

const NOTHING = html`<div class="empty"><p class="title">Nothing is waiting here</p><p>Orders that are paid, refunded or abandoned are settled automatically. Payments of declined cases are listed here until someone at the desk marks the refund as done.</p></div>`;

/** With a `refusal`, shows the list after an act that was refused. */
export async function answerOrders({ desk, visit }: WorkRequest, refusal?: string): Promise<DeskAnswer> {
  const isOwner = await desk.isOwner();
  const { refunds, orders } = await desk.watch.ask(async () => ({
    refunds: await desk.office.lists.listRefunds(),
    orders: isOwner ? await desk.office.lists.listOrders() : null,
  }));
  desk.recordCount('orders', refunds.length + (orders?.length ?? 0));
  const main = renderOrderPage(refunds, orders, visit);
  const refused = refusal === undefined ? undefined : { fact: 'Nothing was changed', why: refusal };
  return { page: { title: 'Desk: orders', nav: 'orders', main, refusal: refused } };
}

export async function answerOrderDone(request: WorkRequest): Promise<DeskAnswer> {
  const text = 'The order is listed again if its payment changes.';
  return await settle(request, (lists, id) => lists.settleOrder(id, 'done'), { strong: 'Done.', text });
}

export async function answerRefundDone(request: WorkRequest): Promise<DeskAnswer> {
  const text = 'The log records that you marked this refund as made.';
  return await settle(request, (lists, id) => lists.settleRefund(id), { strong: 'Done.', text });
}

export async function answerOrderRelease(request: WorkRequest): Promise<DeskAnswer> {
  if (readText(request.form, 'sure') !== 'yes')
    return await answerOrders(
      request,
      'The order stays on hold. To release it, confirm that it was not used after the backup.',
    );
  const text = 'The buyer can send the form now.';
  return await settle(request, (lists, id) => lists.settleOrder(id, 'release'), {
    strong: 'Released.',
    text,
  });
}

/** A refusal of the office is shown above the current list. */
async function settle(
  request: WorkRequest,
  act: (lists: WaitingLists, id: string) => Promise<void>,
  notice: DeskNotice,
): Promise<DeskAnswer> {
  const { desk, params } = request;
  const fault = await findFault(() => act(desk.office.lists, params['id'] ?? ''));
  if (fault?.code === 'refused') return await answerOrders(request, fault.message);
  if (fault) throw fault;
  desk.say(notice);
  return { redirect: '/orders' };
}

function renderOrderPage(
  refunds: readonly OwedRefund[],
  orders: readonly DeskOrder[] | null,
  visit: BrowserVisit,
): Html {
  const tasks = TROUBLES.map((trouble) => renderTrouble(trouble, orders ?? [], visit));
  const main =
    refunds.length + (orders?.length ?? 0) === 0 ? NOTHING : html`${renderRefunds(refunds, visit)}${tasks}`;
  return renderColumnPage('Orders', orders === null ? ABOUT_REFUNDS : ABOUT, main);
}

function renderRefunds(refunds: readonly OwedRefund[], visit: BrowserVisit): Html | null {
  const check = refunds.some(({ isRestored }) => isRestored)
    ? '. A refund with the tag Restored may have been made already: check before you make it'
    : '';
  return renderTask({
    label: 'Refunds',
    title: `${refunds.length} ${refunds.length === 1 ? 'declined case is' : 'declined cases are'} to be refunded`,
    means: `This list is sealed to the desk, so that no record at the office links a payment to a case. A refund stays here and in the digest after its case is purged, for at most ${REFUND_DAYS} days.`,
    steps: [FIND_PAYMENT, `Refund it there${check}.`, 'Then mark it as done here.'],
    day: 'Declined on',
    rows: refunds.map(
      ({ id, refund, isRestored }) =>
        html`<tr><th scope="row" class="code">${refund === null ? 'sealed to a colleague' : showLine(refund.payment_ref)}${isRestored ? html` <span class="tag">Restored</span>` : null}</th><td data-label="Tier">${showLine(refund?.tier ?? '')}</td><td data-label="Declined on">${showLine(refund?.declined_on ?? '')}</td><td class="do">${renderDone(`/refunds/${id}`, refund?.payment_ref ?? 'it', visit)}</td></tr>
`,
    ),
  });
}

function renderTrouble(
  trouble: OrderTrouble,
  orders: readonly DeskOrder[],
  visit: BrowserVisit,
): Html | null {
  const { state: label, one, many, means, steps, act } = trouble;
  const rows = orders
    .filter((order) => (TROUBLES.find(({ why }) => why === order.why) ?? TROUBLES.at(-1)) === trouble)
    .map(
      ({ id, tier, made_on: day }) =>
        html`<tr><th scope="row" class="code">${id}</th><td data-label="Tier">${showLine(tier)}</td><td data-label="Made on">${day}</td><td class="do">${act === 'done' ? renderDone(`/orders/${id}`, id, visit) : act === 'release' ? renderRelease(id, visit) : 'Only on the server'}</td></tr>
`,
    );
  const title = `${rows.length} ${rows.length === 1 ? one : many}`;
  return renderTask({ label, title, means, steps, day: 'Made on', rows });
}

interface OrderTask extends Pick<OrderTrouble, 'means' | 'steps'> {
  readonly label: string;
  readonly title: string;
  /** The heading of the column with the day. */
  readonly day: string;
  readonly rows: readonly Html[];
}

function renderTask({ label, title, means, steps, day, rows }: OrderTask): Html | null {
  if (rows.length === 0) return null;
  return html`<section class="task" aria-label="${label}">
<p class="label">${label}</p>
<div class="sheet">
<div><h2>${title}</h2><p class="small">${means}</p></div>
<ol class="steps">${steps.map((step) => html`<li>${step}</li>`)}</ol>
<table class="grid orders">
<caption class="unseen">${label}</caption>
<thead><tr><th scope="col">Order</th><th scope="col">Tier</th><th scope="col">${day}</th><th scope="col">Action</th></tr></thead>
<tbody>${rows}</tbody>
</table>
</div>
</section>
`;
}

function renderDone(path: string, what: string, visit: BrowserVisit): Html {
  return html`<form method="dialog" action="${path}/done">${renderFormToken(visit)}<button class="button quiet little" type="submit">Done<span class="unseen"> with ${showLine(what)}</span></button></form>`;
}

/** Releasing a used order by mistake opens a second form for one payment. */
function renderRelease(id: string, visit: BrowserVisit): Html {
  return html`<details><summary>Release<span class="unseen"> ${id}</span></summary><form method="dialog" action="/orders/${id}/release">${renderFormToken(visit)}<label class="pick"><input type="checkbox" name="sure" value="yes" required><span>It was not used after the backup.</span><span class="hint">If it was used, releasing it allows a second use. This cannot be undone.</span></label><div class="acts"><button class="button quiet little" aria-keyshortcuts="Control+Enter" type="submit">Release it</button></div></form></details>`;
}

/** In the desk's own sentences, because the office's could request anything. */
interface OrderTrouble {
  /** As the office names it. */
  readonly why: string | null;
  /** The name in the table. */
  readonly state: string;
  /** Follows a number, such as `2 payments do not match what was sold`. */
  readonly one: string;
  readonly many: string;
  readonly means: string;
  readonly steps: readonly string[];
  /** What the desk can do about it; null if nothing. */
  readonly act: 'done' | 'release' | null;
}

const FIND_PAYMENT =
  'Look in the provider’s dashboard for the order’s id: it is the client reference of the payment.';

/** In the order of the page; the last one stands for whatever this desk does not know. */
const TROUBLES: readonly OrderTrouble[] = [
  {
    why: 'quarantined',
    state: 'Quarantined',
    one: 'payment does not match what was sold',
    many: 'payments do not match what was sold',
    means:
      'The amount, currency or mode differs from the order, so the form stays closed and no case can be opened.',
    steps: [
      FIND_PAYMENT,
      'Refund it there. If you are unsure, first ask the buyer, at the address shown there, how the payment came about.',
      'Then mark it as done here. That changes nothing at the provider.',
    ],
    act: 'done',
  },
  {
    why: 'disputed',
    state: 'Disputed',
    one: 'payment is disputed',
    many: 'payments are disputed',
    means: 'The payer’s bank demands the money back and is waiting for an answer through the provider.',
    steps: [
      FIND_PAYMENT,
      'Answer the dispute there, or accept it. Do not include anything from a case: it is not needed, and the bank would keep it.',
      'Then mark it as done here. The order is listed again if the dispute changes.',
    ],
    act: 'done',
  },
  {
    why: 'held',
    state: 'On hold after a restore',
    one: 'order is on hold after a restore',
    many: 'orders are on hold after a restore',
    means:
      'The records came from a backup. At the time of the backup the order was paid and unused. It may have been used afterwards; the records cannot show this.',
    steps: [
      FIND_PAYMENT,
      'If the buyer is still waiting for the form, release the order here.',
      'If you cannot tell, refund it there instead. The order is then removed from this list automatically.',
    ],
    act: 'release',
  },
  {
    why: null,
    state: 'Unknown to this desk',
    one: 'order is in a state that this desk does not know',
    many: 'orders are in a state that this desk does not know',
    means: 'The office runs a different version from this desk.',
    steps: ['Ask the operator what “office orders list” shows on the server.'],
    act: null,
  },
];
