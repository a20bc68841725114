/** The MCP endpoint: one address that takes one message by POST and keeps no session. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { INQUIRY_BYTES } from '#api/inquiries.ts';
import { requireCallAccess } from '#oauth/guard.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { createLazy } from '#platform/lazy.ts';
import type { McpSite } from './protocol-server.ts';
import type { McpTool } from './tool.ts';
import { findTool } from './tools.ts';

/** Most callers speak plain HTTP. */
const loadProtocolServer = createLazy(() => import('./protocol-server.ts'));

/** For a separate Fastify scope, since its check of the origin is for this address alone. */
export function addMcpRoutes(app: App, site: McpSite): void {
  const { services } = site;
  app.addHook('onRequest', async (request) => requireOwnName(request, services.addresses));
  app.post(
    agentPaths.mcp,
    {
      config: { access: { optional: 'token' }, produces: '*/*', budget: 'mcpMessages' },
      // As much as the longest inquiry, whichever way it comes.
      bodyLimit: INQUIRY_BYTES,
    },
    async (request, reply) => {
      const message = requireSingleMessage(request.body);
      const call = findToolCall(message);
      if (call) {
        requireCallAccess(services, request, call.isAnonymous ? { optional: 'token' } : call.tool.access);
        if (call.tool.budget) request.spend(call.tool.budget);
      }
      const { answerProtocolMessage } = await loadProtocolServer();
      return await sendWebResponse(reply, await answerProtocolMessage(site, request, message));
    },
  );
}

/**
 * Against DNS rebinding: a page of another site gets nothing, and neither does one that was given this address under
 * a name of its own. Programs send no Origin.
 */
function requireOwnName({ headers }: FastifyRequest, { site }: PublicAddresses): void {
  const { origin = site, host = '' } = headers;
  if (origin === site && URL.parse(`https://${host}`)?.origin === site) return;
  throw new ServiceError('foreign_origin');
}

/** Otherwise the calls after the first would pass unseen. Revision 2025-06-18 has abolished lists of messages. */
function requireSingleMessage(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  throw new ServiceError('malformed_request', { detail: 'Send one message, not a list of them.' });
}

interface CallMessage {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

/** Of a name that is not known, the protocol tells. */
function findToolCall(message: unknown): { tool: McpTool; isAnonymous: boolean } | null {
  const { method, params } = (message ?? {}) as CallMessage;
  const tool = method === 'tools/call' ? findTool(params?.name) : undefined;
  if (!tool) return null;
  const input = Object(params?.arguments) as Readonly<Record<string, unknown>>;
  return { tool, isAnonymous: tool.isAnonymous?.(input) ?? false };
}

async function sendWebResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status).header('cache-control', 'no-store');
  const type = response.headers.get('content-type');
  // A notification is answered with a status alone.
  if (type === null) return reply.send();
  return reply.type(type).send(Buffer.from(await response.arrayBuffer()));
}
