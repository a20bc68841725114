/** Renders the hosted pay page and the small pages around it. */
import type { Stripe } from 'stripe';
import { BUYER_EMAIL, buildSuccessUrl } from './purchase.ts';
import type { OrderItem } from './sessions.ts';

class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Hole = Html | string | number | null | readonly Html[];

/** Values are allowed in text or double-quoted attributes, never in a script, a style or a tag. */
function html(parts: TemplateStringsArray, ...holes: Hole[]): Html {
  const filled = holes.map((hole, index) => parts[index] + renderHole(hole));
  return new Html(filled.join('') + parts.at(-1));
}

function renderHole(hole: Hole): string {
  if (hole === null) return '';
  if (hole instanceof Html) return hole.markup;
  if (typeof hole === 'object') return hole.map((part) => part.markup).join('\n');
  return String(hole).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function renderPayPage(
  session: Stripe.Checkout.Session,
  items: readonly OrderItem[],
  notice: string | null = null,
): string {
  const total = formatMoney(session.amount_total, session.currency);
  return renderPage(
    `Pay ${total}`,
    html`<section aria-labelledby="order">
<h1 id="order">Your order</h1>
<p class="total">${total}</p>
<dl>
${items.map((item) => renderItem(item, session.currency))}
<div><dt>Total due today</dt><dd>${total}</dd></div>
</dl>
</section>
<section aria-labelledby="payment">
<h2 id="payment">Payment</h2>
${notice === null ? null : html`<p role="alert">${notice}</p>`}
<p><b>Sandbox: no money moves.</b> Nothing is charged and no card number is asked for. The shop may write to the e-mail address. Press the button to pretend that a card was accepted.</p>
<form method="post" action="/c/pay/${session.id}">
<p><label for="email">E-mail</label>
<input id="email" name="email" type="email" value="${BUYER_EMAIL}" required></p>
<button class="main" type="submit" name="action" value="pay">Pay ${total}</button>
<fieldset>
<legend>Or try another ending</legend>
<button type="submit" name="action" value="pay_later">Pay later (bank debit, confirms afterwards)</button>
<button type="submit" name="action" value="pay_later_fail">Pay later, and let it fail</button>
<button type="submit" name="action" value="decline">Decline the card</button>
</fieldset>
${session.cancel_url === null ? null : html`<button type="submit" name="action" value="cancel">Cancel and go back</button>`}
</form>
</section>`,
  );
}

/** The page of a session that is complete or expired. */
export function renderClosedPayPage(session: Stripe.Checkout.Session): string {
  const complete = session.status === 'complete';
  const back = complete ? buildSuccessUrl(session) : session.cancel_url;
  return renderPage(
    complete ? 'This payment is complete' : 'This payment page has expired',
    html`<section>
<h1>${complete ? 'This payment is complete' : 'This payment page has expired'}</h1>
<p>${complete ? 'There is nothing left to pay here.' : 'It can no longer be used, and nothing was paid. Start again from the shop.'}</p>
${back === null ? null : html`<p><a href="${back}">Go back to the shop</a></p>`}
</section>`,
  );
}

export function renderMissingPayPage(): string {
  return renderPage(
    'There is no such payment page',
    html`<section>
<h1>There is no such payment page</h1>
<p>The address may be incomplete. Start again from the shop.</p>
</section>`,
  );
}

export function renderSandboxAboutPage(apiVersion: string): string {
  return renderPage(
    'Payment sandbox',
    html`<section>
<h1>What this is</h1>
<p>A stand-in for a payment provider on this machine. It speaks the provider's API (version ${apiVersion}), shows a pay page for each checkout session and reports events by signed webhooks. No money moves and nothing leaves this machine.</p>
<h2>For developers</h2>
<p>Switches for faults, call counts, disputes and redelivery are under <code>/_sandbox/</code>: <code>PUT /_sandbox/faults</code>, <code>GET /_sandbox/calls</code>.</p>
</section>`,
  );
}

function renderItem({ name, quantity, amount }: OrderItem, currency: string | null): Html {
  const times = quantity > 1 ? ` × ${quantity}` : '';
  return html`<div><dt>${name}${times}</dt><dd>${formatMoney(amount, currency)}</dd></div>`;
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
<header><p><b>Payment sandbox</b> · Test mode</p></header>
<main>
${content}
</main>
<footer><p>Payment sandbox. No money moves, whatever you press.</p></footer>
</body>
</html>
`.markup;
}

/** Amounts are in the currency's smallest unit; some currencies have no smaller unit than the main one. */
function formatMoney(amount: number | null, currency: string | null): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: currency ?? 'usd' });
  return format.format((amount ?? 0) / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
