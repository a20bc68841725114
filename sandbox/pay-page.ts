/** The hosted pay page, its form and the small pages around it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Stripe } from 'stripe';
import type { SandboxContext } from './context.ts';
import { STRIPE_API_VERSION } from './events.ts';
import { acceptFormsAlone } from './parameters.ts';
import { BUYER_ACTIONS, BUYER_EMAIL, type BuyerActionHandler, buildSuccessUrl } from './purchase.ts';
import { type OrderItem, readSessionDetail } from './sessions.ts';

type PayRequest = FastifyRequest<{ Params: { id: string }; Body: string | undefined }>;

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;
const DECLINED_NOTICE = 'The card was declined. Nothing was paid. Try again, or choose another way to pay.';

export function addPayPageRoutes(
  app: FastifyInstance,
  sandbox: SandboxContext,
  handleBuyerAction: BuyerActionHandler,
): void {
  const stylesheet = readFileSync(join(import.meta.dirname, 'page.css'), 'utf8');
  acceptFormsAlone(app);
  app.get('/', (_request, reply) => sendPage(reply, 200, renderSandboxAboutPage()));
  app.get('/page.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(stylesheet));
  app.get('/c/pay/:id', (request: PayRequest, reply) => {
    sandbox.schedule.wake();
    return sendPayPage(sandbox, request.params.id, reply);
  });
  app.post('/c/pay/:id', (request: PayRequest, reply) =>
    handlePayAction(sandbox, handleBuyerAction, request, reply),
  );
}

async function handlePayAction(
  sandbox: SandboxContext,
  handleBuyerAction: BuyerActionHandler,
  request: PayRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  sandbox.schedule.wake();
  const session = sandbox.state.findObject('checkout.session', request.params.id);
  const fields = new URLSearchParams(request.body ?? '');
  const requestedAction = fields.get('action');
  const email = fields.get('email') ?? undefined;
  if (session === undefined || session.status === 'expired')
    return sendPayPage(sandbox, request.params.id, reply);
  if (requestedAction === 'cancel') {
    return session.cancel_url === null
      ? sendPayPage(sandbox, session.id, reply)
      : reply.redirect(session.cancel_url, 303);
  }
  const action = BUYER_ACTIONS.find((name) => name === requestedAction);
  if (action === undefined) return sendPayPage(sandbox, session.id, reply, 'Choose one of the buttons.');
  if (action === 'decline' && session.status === 'complete') return sendPayPage(sandbox, session.id, reply);
  if (email !== undefined && !EMAIL.test(email))
    return sendPayPage(sandbox, session.id, reply, 'Enter an e-mail address. Nothing was paid.');
  const step = await handleBuyerAction({ session: session.id, email }, action);
  if (step.session.status === 'complete') return reply.redirect(buildSuccessUrl(step.session), 303);
  return sendPayPage(sandbox, session.id, reply, DECLINED_NOTICE);
}

function sendPayPage(
  sandbox: SandboxContext,
  id: string,
  reply: FastifyReply,
  notice: string | null = null,
): FastifyReply {
  const session = sandbox.state.findObject('checkout.session', id);
  if (session === undefined) return sendPage(reply, 404, renderMissingPayPage());
  if (session.status !== 'open') return sendPage(reply, 200, renderClosedPayPage(session), session);
  const { items } = readSessionDetail(sandbox, id);
  return sendPage(reply, 200, renderPayPage(session, items, notice), session);
}

function sendPage(
  reply: FastifyReply,
  status: number,
  page: string,
  session?: Stripe.Checkout.Session,
): FastifyReply {
  // Browsers check form-action for a form's redirect too, so it must include the shop's origins.
  const shopOrigins = new Set(
    [session?.success_url, session?.cancel_url].map((url) => URL.parse(url ?? '')?.origin ?? ''),
  );
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': [
        "default-src 'none'",
        "style-src 'self'",
        'img-src data:',
        `form-action 'self' ${[...shopOrigins].join(' ')}`.trim(),
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .send(page);
}

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

function renderPayPage(
  session: Stripe.Checkout.Session,
  items: readonly OrderItem[],
  notice: string | null,
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
function renderClosedPayPage(session: Stripe.Checkout.Session): string {
  const complete = session.status === 'complete';
  const back = complete ? buildSuccessUrl(session) : session.cancel_url;
  const title = complete ? 'This payment is complete' : 'This payment page has expired';
  return renderPage(
    title,
    html`<section>
<h1>${title}</h1>
<p>${complete ? 'There is nothing left to pay here.' : 'It can no longer be used, and nothing was paid. Start again from the shop.'}</p>
${back === null ? null : html`<p><a href="${back}">Go back to the shop</a></p>`}
</section>`,
  );
}

function renderMissingPayPage(): string {
  return renderPage(
    'There is no such payment page',
    html`<section>
<h1>There is no such payment page</h1>
<p>The address may be incomplete. Start again from the shop.</p>
</section>`,
  );
}

function renderSandboxAboutPage(): string {
  return renderPage(
    'Payment sandbox',
    html`<section>
<h1>What this is</h1>
<p>A stand-in for a payment provider on this machine. It speaks the provider's API (version ${STRIPE_API_VERSION}), shows a pay page for each checkout session and reports events by signed webhooks. No money moves and nothing leaves this machine.</p>
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
