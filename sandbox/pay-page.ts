/** Renders the hosted pay page and the small pages around it. */
import type { Stripe } from 'stripe';
import { type Html, html } from './html.ts';
import { BUYER_EMAIL, buildSuccessUrl } from './purchase.ts';

export function renderPayPage(
  session: Stripe.Checkout.Session,
  items: readonly Stripe.LineItem[],
  notice: string | null = null,
): string {
  const total = formatMoney(session.amount_total, session.currency);
  return renderPage(
    `Pay ${total}`,
    html`<div class="columns">
<section class="order" aria-labelledby="order">
<h1 id="order">Your order</h1>
<p class="total">${total}</p>
<dl class="items">
${items.map(renderLineItem)}
<div class="sum"><dt>Total due today</dt><dd>${total}</dd></div>
</dl>
</section>
<section class="card" aria-labelledby="payment">
<h2 id="payment">Payment</h2>
${notice === null ? null : html`<p class="notice" role="alert">${notice}</p>`}
<p class="plain"><b>Sandbox: no money moves.</b> Nothing is charged and no card number is asked for. The shop may write to the e-mail address. Press the button to pretend that a card was accepted.</p>
<form method="post" action="/c/pay/${session.id}">
${session.customer_email === null ? emailField : null}
<button class="main" type="submit" name="action" value="pay">Pay ${total}</button>
<fieldset>
<legend>Or try another ending</legend>
<button type="submit" name="action" value="pay_later">Pay later (bank debit, confirms afterwards)</button>
<button type="submit" name="action" value="pay_later_fail">Pay later, and let it fail</button>
<button type="submit" name="action" value="decline">Decline the card</button>
</fieldset>
${session.cancel_url === null ? null : renderCancelButton()}
</form>
</section>
</div>`,
  );
}

/** Filled in, so that one button is enough; a shop may write there, as the provider's own pages let it. */
const emailField = html`<div class="field"><label for="email">E-mail</label>
<input id="email" name="email" type="email" value="${BUYER_EMAIL}" required></div>`;

/** For a session that is complete or expired. */
export function renderClosedPayPage(session: Stripe.Checkout.Session): string {
  const complete = session.status === 'complete';
  const back = complete ? buildSuccessUrl(session) : session.cancel_url;
  return renderPage(
    complete ? 'This payment is complete' : 'This payment page has expired',
    html`<section class="card alone">
<h1>${complete ? 'This payment is complete' : 'This payment page has expired'}</h1>
<p>${complete ? 'There is nothing left to pay here.' : 'It can no longer be used, and nothing was paid. Start again from the shop.'}</p>
${back === null ? null : html`<p><a class="button" href="${back}">Go back to the shop</a></p>`}
</section>`,
  );
}

export function renderMissingPayPage(): string {
  return renderPage(
    'There is no such payment page',
    html`<section class="card alone">
<h1>There is no such payment page</h1>
<p>The address may be incomplete. Start again from the shop.</p>
</section>`,
  );
}

export function renderSandboxAboutPage(apiVersion: string): string {
  return renderPage(
    'Payment sandbox',
    html`<section class="card alone">
<h1>What this is</h1>
<p>A stand-in for a payment provider on this machine. It speaks the provider's API (version ${apiVersion}), shows a pay page for each checkout session and reports events by signed webhooks. No money moves and nothing leaves this machine.</p>
<h2>For developers</h2>
<p>Switches for faults, call counts, disputes and redelivery are under <code>/_sandbox/</code>: <code>GET /_sandbox/faults</code>, <code>GET /_sandbox/calls</code>.</p>
</section>`,
  );
}

function renderLineItem(item: Stripe.LineItem): Html {
  const quantity = (item.quantity ?? 1) > 1 ? ` × ${item.quantity}` : '';
  return html`<div><dt>${item.description}${quantity}</dt><dd>${formatMoney(item.amount_total, item.currency)}</dd></div>`;
}

function renderCancelButton(): Html {
  return html`<button class="quiet" type="submit" name="action" value="cancel">Cancel and go back</button>`;
}

function renderPage(title: string, content: Html): string {
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Payment sandbox</title>
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
</head>
<body>
<header><div class="wide"><p class="mark"><svg viewBox="0 0 28 28" aria-hidden="true" focusable="false"><rect class="ground" x="2" y="5" width="24" height="18" rx="2.500"/><path class="figure" d="M2 11h24M7 18h6"/></svg> Payment sandbox</p><p class="tag">Test mode</p></div></header>
<main class="wide">
${content}
</main>
<footer><p class="wide">Payment sandbox. No money moves, whatever you press.</p></footer>
</body>
</html>
`.markup;
}

/** Amounts are in the currency's smallest unit; some currencies have no smaller unit than the main one. */
function formatMoney(amount: number | null, currency: string | null): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: currency ?? 'usd' });
  return format.format((amount ?? 0) / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
