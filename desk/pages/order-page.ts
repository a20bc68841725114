/** Orders that need a hand, by what is wrong: what it means, what to do about it, and which they are. No way leads to a case. */
import type { BrowserVisit } from '#desk-program/loopback/page-route.ts';
import { describeOrderTrouble, ORDER_STATES, toOrderState } from '#desk-program/model/order-trouble.ts';
import { showLine } from '#desk-program/model/shown-text.ts';
import type { DeskOrder } from '#desk-program/office/owner-requests.ts';
import { type Html, html } from '#view/html.ts';
import { renderColumnPage } from './column-page.ts';
import { renderFormToken } from './page-frame.ts';

export interface OrderPageView {
  readonly orders: readonly DeskOrder[];
  readonly visit: BrowserVisit;
  /** Why the last act was not done. */
  readonly refusal: string | null;
}

const ABOUT =
  'Payments that the office cannot settle by itself, by their day. Nothing here leads to a case, and no case leads here: only the reference inside a case does.';

export function renderOrderPage({ orders, visit, refusal }: OrderPageView): Html {
  const main =
    orders.length === 0 ? NOTHING : html`${ORDER_STATES.map((state) => renderTask(state, orders, visit))}`;
  return renderColumnPage({ title: 'Orders', about: ABOUT, refusal, main });
}

const NOTHING = html`<div class="empty"><p class="title">No order needs a hand</p><p>What is paid, refunded or given up settles itself.</p></div>`;

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
