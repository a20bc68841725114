/** The sandbox's own control API under `/_sandbox/`, for tests and developers. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { SandboxContext } from './context.ts';
import { createDispute, DISPUTE_STATUSES, updateDisputeStatus } from './disputes.ts';
import { createInvalidRequestError, ProviderApiError } from './errors.ts';
import { type CallRecorder, FaultSwitches } from './faults.ts';
import {
  BUYER_ACTIONS,
  type BuyerAction,
  type BuyerActionHandler,
  buildSuccessUrl,
  type PurchaseStep,
} from './purchase.ts';
import { PROVIDER_API_ROUTES, toCallName } from './routes.ts';
import { expireSession } from './sessions.ts';

export interface ControlApiOptions {
  readonly sandbox: SandboxContext;
  readonly calls: CallRecorder;
  readonly handleBuyerAction: BuyerActionHandler;
}

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
/** Actions that otherwise happen only with time; `settle` concludes a delayed payment, the only task of its session. */
const TIMED_ACTIONS = ['expire', 'settle'] as const;
const BuyerStep = Type.Object({ id: Type.String(), action: Type.Enum([...BUYER_ACTIONS, ...TIMED_ACTIONS]) });
const BuyerFields = Type.Object({ email: Type.Optional(Type.String()) }, Closed);

export const addControlRoutes: FastifyPluginCallbackTypebox<ControlApiOptions> = (app, options, done) => {
  const { sandbox, calls, handleBuyerAction } = options;
  const wakeWebhooksAfter = <T>(result: T): T => {
    sandbox.webhooks.wake();
    return result;
  };
  app.addHook('onRequest', async (request) => refuseForeignPages(request.headers));

  app.put('/_sandbox/faults', { schema: { body: FaultSwitches } }, async (request) => {
    refuseUnknownCalls(request.body);
    sandbox.faults.replaceSwitches(request.body);
    return sandbox.faults.switches;
  });

  app.get('/_sandbox/calls', async () => calls.toReport());
  app.delete('/_sandbox/calls', async () => {
    calls.clear();
    return calls.toReport();
  });

  app.post('/_sandbox/disputes', { schema: { body: NewDispute } }, async (request) => {
    const { payment_intent, status = 'needs_response' } = request.body;
    return wakeWebhooksAfter(createDispute(sandbox, payment_intent, status));
  });
  const disputeUpdate = { params: Id, body: Type.Object({ status: Status }, Closed) };
  app.post('/_sandbox/disputes/:id', { schema: disputeUpdate }, async (request) =>
    wakeWebhooksAfter(updateDisputeStatus(sandbox, request.params.id, request.body.status)),
  );

  const buyerStep = { params: BuyerStep, body: Type.Union([BuyerFields, Type.Null()]) };
  app.post('/_sandbox/sessions/:id/:action', { schema: buyerStep }, async (request) => {
    const email = request.body?.email;
    return await performControlAction(sandbox, handleBuyerAction, { ...request.params, email });
  });

  const redelivery = { params: Id, body: Type.Union([Redelivery, Type.Null()]) };
  app.post('/_sandbox/events/:id/deliver', { schema: redelivery }, async (request) => {
    const { times = 1, concurrency = 1 } = request.body ?? {};
    const { id } = sandbox.state.requireObject('event', request.params.id);
    return { statuses: await sandbox.webhooks.redeliver(id, times, concurrency) };
  });
  app.post('/_sandbox/webhooks/flush', async () => sandbox.webhooks.flush());
  done();
};

/** Refuses a fault for a misspelt call, which would never occur. */
function refuseUnknownCalls(switches: FaultSwitches): void {
  const known = new Set(PROVIDER_API_ROUTES.map(toCallName));
  for (const { match } of switches.api ?? []) {
    if (!known.has(match)) throw createInvalidRequestError(`There is no call '${match}'.`);
  }
}

async function performControlAction(
  sandbox: SandboxContext,
  handleBuyerAction: BuyerActionHandler,
  {
    id,
    action,
    email,
  }: { id: string; action: BuyerAction | (typeof TIMED_ACTIONS)[number]; email: string | undefined },
) {
  if (action === 'expire') {
    const session = sandbox.state.runInTransaction(() => expireSession(sandbox, id));
    sandbox.webhooks.wake();
    return { session, redirect: session.cancel_url };
  }
  const asked = sandbox.state.requireObject('checkout.session', id);
  if (action === 'settle') {
    if (asked.status === 'complete') sandbox.schedule.runAhead(id);
    return { session: sandbox.state.requireObject('checkout.session', id), redirect: null };
  }
  const { session }: PurchaseStep = await handleBuyerAction({ session: id, email }, action);
  return { session, redirect: session.status === 'complete' ? buildSuccessUrl(session) : null };
}

/** The control API has no key, so web pages open in a browser must not be able to use it. */
function refuseForeignPages(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site'] ?? 'none';
  const name = (headers.host ?? '').replace(/:\d+$/, '');
  const isLocal = name === '127.0.0.1' || name === 'localhost';
  if (isLocal && headers.origin === undefined && (site === 'none' || site === 'same-origin')) return;
  throw new ProviderApiError(403, {
    type: 'invalid_request_error',
    message: 'The control API refuses web pages.',
  });
}
