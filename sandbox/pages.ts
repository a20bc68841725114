/** Serves the hosted pay page, its form and its stylesheet. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Stripe } from 'stripe';
import type { SandboxContext } from './context.ts';
import { STRIPE_API_VERSION } from './events.ts';
import { acceptFormsAlone } from './parameters.ts';
import {
  renderClosedPayPage,
  renderMissingPayPage,
  renderPayPage,
  renderSandboxAboutPage,
} from './pay-page.ts';
import { BUYER_ACTIONS, type BuyerActionHandler, buildSuccessUrl } from './purchase.ts';
import { readSessionDetail } from './sessions.ts';

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
  app.get('/', (_request, reply) => sendPage(reply, 200, renderSandboxAboutPage(STRIPE_API_VERSION)));
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
