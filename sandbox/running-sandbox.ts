/** Joins the parts of the sandbox, listens, and stops gracefully. */
import { AjvCompiler } from '@fastify/ajv-compiler';
import { type FastifyError, type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { addProviderApiRoutes } from './api.ts';
import type { SandboxContext } from './context.ts';
import { addControlRoutes } from './control.ts';
import { ProviderApiError } from './errors.ts';
import { CallRecorder, FaultSwitchboard } from './faults.ts';
import { addPayPageRoutes } from './pay-page.ts';
import { createBuyerActionHandler, settleBankDebit } from './purchase.ts';
import { failRefund } from './returned-money.ts';
import { type DueTaskHandlers, DueTaskSchedule } from './schedule.ts';
import { expireSession } from './sessions.ts';
import { type SandboxSettings, SandboxStartError } from './settings.ts';
import { SandboxState } from './state.ts';
import { createWebhookSender, WebhookQueue } from './webhooks.ts';

const BODY_LIMIT = 256 * 1024;
const CLOSE_GRACE_MS = 300;
/** Shared by all sandboxes of a process: compiling their few schemas takes as long as the rest of a start. */
const buildValidator = AjvCompiler();

export async function startSandbox(settings: SandboxSettings) {
  const state = openState(settings);
  const faults = new FaultSwitchboard();
  const webhooks = new WebhookQueue(state, faults, createWebhookSender(settings));
  const schedule = new DueTaskSchedule(state);
  const sandbox: SandboxContext = { settings, state, faults, calls: new CallRecorder(), schedule, webhooks };
  const app = createSandboxServer(sandbox);
  try {
    await app.listen({ host: '127.0.0.1', port: settings.port });
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw new SandboxStartError(
      1,
      taken ? `port ${settings.port} is taken` : `cannot listen on port ${settings.port}`,
    );
  }
  schedule.start(createTaskHandlers(sandbox));
  webhooks.wake();
  return {
    close: async () => {
      schedule.stop();
      await Promise.all([app.close(), webhooks.close()]);
      state.close();
    },
  };
}

function openState(settings: SandboxSettings): SandboxState {
  try {
    return new SandboxState(settings.dataDir);
  } catch {
    throw new SandboxStartError(1, 'its state in DATA_DIR/sandbox cannot be opened');
  }
}

function createTaskHandlers(sandbox: SandboxContext): DueTaskHandlers {
  return {
    expire_session: (id) => {
      if (sandbox.state.requireObject('checkout.session', id).status === 'open') expireSession(sandbox, id);
    },
    settle_payment: (id) => settleBankDebit(sandbox, id, 'succeeded'),
    fail_payment: (id) => settleBankDebit(sandbox, id, 'failed'),
    fail_refund: (id) => failRefund(sandbox, id),
  };
}

function createSandboxServer(sandbox: SandboxContext): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 500 },
    exposeHeadRoutes: false,
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
    schemaController: { compilersFactory: { buildValidator } },
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false } },
    frameworkErrors: (error, _request, reply) => void sendError(error, reply as unknown as FastifyReply),
  });
  // Requests left unanswered by an injected fault would block the shutdown forever.
  app.addHook('preClose', async () => {
    setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS).unref();
  });
  app.setErrorHandler<FastifyError>((error, _request, reply) => sendError(error, reply));
  app.setNotFoundHandler((request, reply) =>
    sendError(
      new ProviderApiError(
        404,
        `Unrecognized request URL (${request.method}: ${request.url.split('?')[0]}).`,
      ),
      reply,
    ),
  );

  const handleBuyerAction = createBuyerActionHandler(sandbox);
  app.register(async (scope) => addProviderApiRoutes(scope, sandbox));
  app.register(async (scope) => addPayPageRoutes(scope, sandbox, handleBuyerAction));
  app.register(async (scope) => addControlRoutes(scope, sandbox, handleBuyerAction));
  return app;
}

function sendError(error: Error & { statusCode?: number }, reply: FastifyReply): FastifyReply {
  const apiError = error instanceof ProviderApiError ? error : toProviderApiError(error);
  if (apiError.status === 401) reply.header('www-authenticate', 'Bearer realm="payment sandbox"');
  return reply.code(apiError.status).type('application/json').send(JSON.stringify(apiError.body));
}

/** Converts Fastify's own errors (body too large, unknown content type, wrong schema) to the provider's format. */
function toProviderApiError(error: Error & { statusCode?: number }): ProviderApiError {
  const status = error.statusCode ?? 500;
  if (status >= 500) return new ProviderApiError(500, 'The sandbox failed.', { type: 'api_error' });
  return new ProviderApiError(status === 415 ? 400 : status, error.message);
}
