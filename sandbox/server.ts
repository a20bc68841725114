/** Joins the parts of the sandbox to one server. */
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type FastifyError, type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { addProviderApiRoutes } from './api.ts';
import { CallRecorder } from './calls.ts';
import type { SandboxContext } from './context.ts';
import { addControlRoutes } from './control.ts';
import { createUnknownUrlError, ProviderApiError, serializeErrorEnvelope } from './errors.ts';
import { IdempotencyStore } from './idempotency.ts';
import { addPayPageRoutes } from './pages.ts';
import { createBuyerActionHandler } from './payment-actions.ts';

const BODY_LIMIT = 256 * 1024;
const GRACE_MS = 300;

export function createSandboxServer(sandbox: SandboxContext): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    routerOptions: { maxParamLength: 500 },
    exposeHeadRoutes: false,
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false } },
    frameworkErrors: (error, _request, reply) => void sendError(error, reply as unknown as FastifyReply),
  });
  closeHangingSockets(app);
  app.setErrorHandler<FastifyError>((error, _request, reply) => sendError(error, reply));
  app.setNotFoundHandler((request, reply) =>
    sendError(createUnknownUrlError(request.method, request.url.split('?')[0]!), reply),
  );

  const calls = new CallRecorder();
  const counter = createBuyerActionHandler(sandbox);
  app.register((scope, _options, done) => {
    addProviderApiRoutes(scope, { sandbox, calls, idempotency: new IdempotencyStore(sandbox.state) });
    done();
  });
  app.register((scope, _options, done) => {
    addPayPageRoutes(scope, sandbox, counter);
    done();
  });
  app.withTypeProvider<TypeBoxTypeProvider>().register(addControlRoutes, { sandbox, calls, counter });
  return app;
}

function sendError(error: Error & { statusCode?: number }, reply: FastifyReply): FastifyReply {
  const known = error instanceof ProviderApiError ? error : toProviderApiError(error);
  if (known.status === 401) reply.header('www-authenticate', 'Bearer realm="payment sandbox"');
  return reply.code(known.status).type('application/json').send(serializeErrorEnvelope(known.body));
}

/** Fastify's own refusals (body too large, unknown content type, wrong schema) in the provider's envelope. */
function toProviderApiError(error: Error & { statusCode?: number }): ProviderApiError {
  const status = error.statusCode ?? 500;
  if (status >= 500) return new ProviderApiError(500, { type: 'api_error', message: 'The sandbox failed.' });
  return new ProviderApiError(status === 415 ? 400 : status, {
    type: 'invalid_request_error',
    message: error.message,
  });
}

/** Requests that a switch left without an answer would hold the shutdown for ever. */
function closeHangingSockets(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', async () => {
    setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, GRACE_MS).unref();
  });
}
