/** The sandbox's own control API under `/_sandbox/`, for tests and developers. */
import type { IncomingHttpHeaders } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { CALL_NAMES } from './api.ts';
import type { SandboxContext } from './context.ts';
import { ProviderApiError } from './errors.ts';
import { FaultSwitches } from './faults.ts';
import { BUYER_ACTIONS, type BuyerActionHandler, buildSuccessUrl } from './purchase.ts';
import { createDispute, DISPUTE_STATUSES, updateDisputeStatus } from './returned-money.ts';
import { expireSession } from './sessions.ts';

const Id = Type.Object({ id: Type.String() });
const Status = Type.Enum(DISPUTE_STATUSES);
const Closed = { additionalProperties: false };
const NewDispute = Type.Object({ payment_intent: Type.String(), status: Type.Optional(Status) }, Closed);
const Redelivery = Type.Object(
  {
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  },
  Closed,
);
/** `expire` and `settle` otherwise happen only with time. */
const BuyerStep = Type.Object({
  id: Type.String(),
  action: Type.Enum([...BUYER_ACTIONS, 'expire', 'settle']),
});
const BuyerFields = Type.Object({ email: Type.Optional(Type.String()) }, Closed);

export function addControlRoutes(
  scope: FastifyInstance,
  sandbox: SandboxContext,
  handleBuyerAction: BuyerActionHandler,
): void {
  const app = scope.withTypeProvider<TypeBoxTypeProvider>();
  const { state, faults, calls, schedule, webhooks } = sandbox;
  app.addHook('onRequest', async (request) => refuseForeignPages(request.headers));

  app.put('/_sandbox/faults', { schema: { body: FaultSwitches } }, async ({ body }) => {
    // A fault for a misspelt call would never occur.
    const unknown = body.api?.find(({ match }) => !CALL_NAMES.has(match));
    if (unknown) throw new ProviderApiError(400, `There is no call '${unknown.match}'.`);
    faults.replaceSwitches(body);
    return faults.switches;
  });

  app.get('/_sandbox/calls', async () => calls.toReport());
  app.delete('/_sandbox/calls', async () => {
    calls.clear();
    return calls.toReport();
  });

  app.post('/_sandbox/disputes', { schema: { body: NewDispute } }, async ({ body }) =>
    createDispute(sandbox, body.payment_intent, body.status ?? 'needs_response'),
  );
  const disputeUpdate = { params: Id, body: Type.Object({ status: Status }, Closed) };
  app.post('/_sandbox/disputes/:id', { schema: disputeUpdate }, async ({ params, body }) =>
    updateDisputeStatus(sandbox, params.id, body.status),
  );

  const buyerStep = { params: BuyerStep, body: Type.Union([BuyerFields, Type.Null()]) };
  app.post('/_sandbox/sessions/:id/:action', { schema: buyerStep }, async ({ params, body }) => {
    const { id, action } = params;
    if (action === 'expire') {
      const session = state.runInTransaction(() => expireSession(sandbox, id));
      return { session, redirect: session.cancel_url };
    }
    if (action === 'settle') {
      // The only task of a session whose payment is delayed concludes that payment.
      if (state.requireObject('checkout.session', id).status === 'complete') schedule.runAhead(id);
      return { session: state.requireObject('checkout.session', id), redirect: null };
    }
    const { session } = await handleBuyerAction({ session: id, email: body?.email }, action);
    return { session, redirect: session.status === 'complete' ? buildSuccessUrl(session) : null };
  });

  const redelivery = { params: Id, body: Type.Union([Redelivery, Type.Null()]) };
  app.post('/_sandbox/events/:id/deliver', { schema: redelivery }, async (request) => {
    const { times = 1, concurrency = 1 } = request.body ?? {};
    const { id } = state.requireObject('event', request.params.id);
    return { statuses: await webhooks.redeliver(id, times, concurrency) };
  });
  app.post('/_sandbox/webhooks/flush', async () => webhooks.flush());
}

/** The control API has no key, so web pages open in a browser must not be able to use it. */
function refuseForeignPages(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site'] ?? 'none';
  const name = (headers.host ?? '').replace(/:\d+$/, '');
  const isLocal = name === '127.0.0.1' || name === 'localhost';
  if (isLocal && headers.origin === undefined && (site === 'none' || site === 'same-origin')) return;
  throw new ProviderApiError(403, 'The control API refuses web pages.');
}
