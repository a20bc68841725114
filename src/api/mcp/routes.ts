/** The MCP endpoint: one address that accepts one message by POST and has no sessions. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { INQUIRY_BYTES } from '#api/inquiries.ts';
import { requireCallAccess } from '#oauth/guard.ts';
import { agentPaths, type PublicAddresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { parseJson, requireUtf8 } from '#platform/http/json.ts';
import { createLazy } from '#platform/lazy.ts';
import type { Services } from '#services.ts';
import {
  chooseFaultStatus,
  MESSAGE_BYTES,
  MessageFault,
  readMessage,
  readProtocolHeaders,
  serializeFault,
} from './message.ts';
import type { McpSite } from './protocol-server.ts';
import { chooseAccess } from './tool.ts';
import { findTool, toolScopes } from './tools.ts';

/** Loaded on first use, because most callers use plain HTTP. */
const loadProtocolServer = createLazy(() => import('./protocol-server.ts'));

/** Needs its own Fastify scope, because its origin check and body parser are for this address only. */
export function addMcpRoutes(app: App, site: McpSite): void {
  const { services } = site;
  app.addHook('onRequest', async (request) => requireOwnName(request, services.addresses));
  addMessageParser(app, services);
  app.post(
    agentPaths.mcp,
    {
      config: { access: { optional: 'token' }, produces: '*/*', budget: 'mcpMessages' },
      bodyLimit: INQUIRY_BYTES,
    },
    async (request, reply) => {
      const { value, size } = (request.body ?? { value: null, size: 0 }) as ReceivedBody;
      reply.header('cache-control', 'no-store');
      try {
        const message = readMessage(value);
        const headers = readProtocolHeaders(request.headers);
        const tool = message?.method === 'tools/call' ? findTool(message.params['name']) : undefined;
        const maxSize = tool?.messageBytes ?? MESSAGE_BYTES;
        if (size > maxSize)
          throw new ServiceError('payload_too_large', {
            detail: `This message may have at most ${maxSize} bytes.`,
          });
        if (message === null) return await reply.code(202).send();
        // The protocol reports an unknown name.
        if (tool) {
          const access = chooseAccess(tool, message.params['arguments']);
          requireCallAccess(services, request, access, toolScopes);
          if (tool.budget) request.spend(tool.budget);
        }
        const { answerProtocolMessage } = await loadProtocolServer();
        return await sendWebResponse(reply, await answerProtocolMessage(site, { request, headers, message }));
      } catch (error) {
        if (!(error instanceof MessageFault)) throw error;
        reply.code(chooseFaultStatus(error, request.headers)).type('application/json');
        return await reply.send(serializeFault(error, value));
      }
    },
  );
}

interface ReceivedBody {
  readonly value: unknown;
  readonly size: number;
}

/** Limits what is parsed for a caller without a token, because every tool that accepts long messages needs one. */
function addMessageParser(app: App, services: Pick<Services, 'addresses'>): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length > MESSAGE_BYTES && !request.caller)
        requireCallAccess(services, request, 'case:write', toolScopes);
      requireUtf8(request.headers['content-type']);
      return { value: requireSingleMessage(parseJson(body)), size: body.length } satisfies ReceivedBody;
    },
  );
}

/** Prevents DNS rebinding: refuses pages of other sites or under other names. Programs send no Origin. */
function requireOwnName({ headers }: FastifyRequest, { site }: PublicAddresses): void {
  const { origin = site, host = '' } = headers;
  if (origin === site && URL.parse(`https://${host}`)?.origin === site) return;
  throw new ServiceError('foreign_origin');
}

/** Refuses batches, whose calls after the first would not be checked. Revision 2025-06-18 removed them. */
function requireSingleMessage(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  throw new ServiceError('malformed_request', { detail: 'Send one message, not a list of them.' });
}

async function sendWebResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  const type = response.headers.get('content-type');
  // The response to a notification is only a status.
  if (type === null) return reply.send();
  return reply.type(type).send(Buffer.from(await response.arrayBuffer()));
}
