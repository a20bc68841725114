/** The MCP server of one request: the official SDK implements the protocol, our functions do the work. */
import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { buildPricing } from '#api/pricing.ts';
import { DELIVERY_HOURS, tierNames } from '#payments/tiers.ts';
import { VERSION } from '#platform/config/version.ts';
import { HOUR_MS } from '#platform/durations.ts';
import { resolveProblem } from '#platform/http/problem.ts';
import { toBase64url } from '#platform/text/base64url.ts';
import { serializeCanonicalJson } from '#platform/text/canonical-json.ts';
import type { Services } from '#services.ts';
import { formatOwner } from '#store/owner.ts';
import { type ProtocolMessage, SHOWN_PAGE } from './message.ts';
import { OPENNESS } from './tool.ts';
import { runTool, toToolResult } from './tool-result.ts';
import { findTool, mcpTools } from './tools.ts';

/** Texts from `src/agents/documents`. */
export interface AgentDocuments {
  readonly readInstructions: () => Promise<string>;
  readonly readSealing: () => Promise<string>;
  /** The guide from a question to its finding, for a model that calls tools. */
  readonly readToolSteps: () => Promise<string>;
}

function listResourceEntries(
  services: Pick<Services, 'addresses' | 'terms'>,
  { readInstructions, readSealing }: AgentDocuments,
) {
  const { addresses } = services;
  return [
    {
      uri: addresses.registration,
      name: 'auth.md',
      title: 'Access for agents',
      description: 'How a program registers, gets a token and uses it, over HTTP or here.',
      mimeType: 'text/markdown',
      read: readInstructions,
    },
    {
      uri: addresses.sealing,
      name: 'sealing.md',
      title: 'Sealing',
      description:
        'How a program seals an inquiry and opens its finding, so that no one in between can read them.',
      mimeType: 'text/markdown',
      read: readSealing,
    },
    {
      uri: `${addresses.api}/pricing`,
      name: 'pricing',
      title: 'Prices and terms',
      description: 'The tiers with their prices, and the terms in force; the same as get_pricing.',
      mimeType: 'application/json',
      read: () => JSON.stringify(buildPricing(services)),
    },
  ];
}

export interface McpSite {
  readonly services: Services;
  readonly siteName: string;
  readonly documents: AgentDocuments;
}

/** Until the next version of the service, all lists are the same for all clients. */
const LIST_CACHE = { ttlMs: HOUR_MS, cacheScope: 'public' } as const;

/** Copied as JSON to drop properties of the schema library, and examples, which no model needs. */
const listedTools = JSON.parse(
  JSON.stringify(
    mcpTools.map(({ name, title, description, input, annotations }) => ({
      name,
      title,
      description,
      inputSchema: input,
      annotations,
    })),
    (key, value: unknown) => (key === 'examples' ? undefined : value),
  ),
) as Tool[];

interface ReceivedMessage {
  readonly request: FastifyRequest;
  /** Only the headers of the protocol; the token has already been checked. */
  readonly headers: [name: string, value: string][];
  readonly message: ProtocolMessage;
}

/** Serves the current revision, in which each request is independent, and the earlier ones without sessions. */
export async function answerProtocolMessage(
  site: McpSite,
  { request, headers, message }: ReceivedMessage,
): Promise<Response> {
  const steps = await site.documents.readToolSteps();
  const handler = createMcpHandler(() => createProtocolServer(site, steps, request, message));
  const asked = new Request(site.services.addresses.mcp, { method: 'POST', headers });
  return await handler.fetch(asked, { parsedBody: message });
}

function createProtocolServer(
  site: McpSite,
  steps: string,
  request: FastifyRequest,
  message: ProtocolMessage,
): Server {
  const { services, siteName } = site;
  const params: Partial<CallToolRequest['params']> = message.params;
  const server = new Server(
    { name: 'inquiry-office', title: siteName, version: VERSION, websiteUrl: services.addresses.site },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: formatInstructions(siteName, steps),
      requestState: {
        verify: (state) => openPageState(services, formatStateContext(request, params), state),
      },
      inputRequired: { legacyShim: false },
      cacheHints: {
        'server/discover': LIST_CACHE,
        'tools/list': LIST_CACHE,
        'prompts/list': LIST_CACHE,
        'resources/list': LIST_CACHE,
        'resources/templates/list': LIST_CACHE,
      },
    },
  );
  addToolHandlers(server, services, request);
  addResourceHandlers(server, site, request);
  addPromptHandlers(server, steps);
  return server;
}

function formatInstructions(siteName: string, steps: string): string {
  return `${siteName} looks into one question about a person, an account or a message, from public information and for lawful purposes only, and answers in writing within ${DELIVERY_HOURS} hours. ${OPENNESS}

${steps}`;
}

function addToolHandlers(server: Server, services: Services, request: FastifyRequest): void {
  server.setRequestHandler('tools/list', () => ({ tools: listedTools }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = findTool(params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of this name.');
    const shown = tool.pageMessage && context.mcpReq.requestState<Record<string, unknown>>();
    if (shown) return toShownPageResult(context, shown);
    const result = await runTool(services, request, tool, params.arguments ?? {});
    const output = result.structuredContent as Record<string, unknown> | undefined;
    if (!tool.pageMessage || !output?.['url'] || !canShowPage(context)) return result;
    return askToShowPage(services, formatStateContext(request, params), {
      message: tool.pageMessage,
      output,
    });
  });
}

function addResourceHandlers(
  server: Server,
  { services, documents }: McpSite,
  request: FastifyRequest,
): void {
  const entries = listResourceEntries(services, documents);
  server.setRequestHandler('resources/list', () => ({
    resources: entries.map(({ read: _read, ...entry }) => entry),
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const entry = entries.find((each) => each.uri === uri);
    if (!entry) throw new ResourceNotFoundError(uri);
    const text = await readOrRefuse(services, request, entry.read);
    return { contents: [{ uri, mimeType: entry.mimeType, text }] };
  });
}

/** Handles exceptions, because the SDK would send their messages unchanged and log nothing. */
async function readOrRefuse(
  { log, store }: Services,
  { id }: FastifyRequest,
  read: () => string | Promise<string>,
): Promise<string> {
  try {
    return await read();
  } catch (error) {
    const { code, publicMessage } = resolveProblem({ log, translate: store.translate }, error, id);
    const sentence = `${code}: ${publicMessage} request_id: ${id}`;
    throw new ProtocolError(ProtocolErrorCode.InternalError, sentence);
  }
}

function addPromptHandlers(server: Server, steps: string): void {
  server.setRequestHandler('prompts/list', () => ({ prompts: [purchasePrompt] }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    if (params.name !== purchasePrompt.name)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no prompt of this name.');
    const text = formatPurchasePrompt(steps, params.arguments?.['tier']);
    return {
      description: purchasePrompt.description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    };
  });
}

const purchasePrompt = {
  name: 'buy_inquiry',
  title: 'Have something looked into',
  description: 'Walks through a purchase: prices, payment by the person, the inquiry, and the finding.',
  arguments: [
    {
      name: 'tier',
      description: `Which tier: ${tierNames.join(', ')}. Without it, the person chooses.`,
      required: false,
    },
  ],
};

function formatPurchasePrompt(steps: string, tier: string | undefined): string {
  const choice = tier
    ? `I have chosen ${JSON.stringify(tier)}; check that it is offered.`
    : 'Ask me which tier I want.';
  return `Please help me, “the person” below, to have something looked into by this office. Go step by step, and wait for my answer where you ask me something. ${choice}

Before I tell you anything, say to me that what I write to you passes through the host of this model, and that the office sees it while it seals it. If I do not want that, offer me create_checkout with \`in_browser: true\`, after which I write on the office's own site, where my browser seals it, and stop.

${steps}`;
}

/** Long enough to pay; the page itself expires, too. */
const STATE_MS = HOUR_MS;

type Output = Readonly<Record<string, unknown>>;
type StateServices = Pick<Services, 'clock' | 'keyring'>;

/** Clients of earlier revisions declare this only at the start. It is not stored, so they get the address instead. */
function canShowPage({ mcpReq: { envelope } }: ServerContext): boolean {
  const declared = envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = declared?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  return capabilities?.elicitation?.url !== undefined;
}

/** The client returns the tool's output with its next request, so the output is sealed to prevent forgery. */
function askToShowPage(
  { clock, keyring }: StateServices,
  context: string,
  { message, output }: { readonly message: string; readonly output: Output },
): InputRequiredResult {
  const state = { output, made: clock.now() };
  const box = keyring.seal('mcp state', JSON.stringify(state), context);
  return inputRequired({
    inputRequests: { [SHOWN_PAGE]: inputRequired.elicitUrl({ message, url: String(output['url']) }) },
    requestState: toBase64url(box),
  });
}

/** Throws if the state was not issued to this caller for this call, or is too old. */
function openPageState({ clock, keyring }: StateServices, context: string, state: string): Output {
  const { output, made } = JSON.parse(
    keyring.open('mcp state', Buffer.from(state, 'base64url'), context),
  ) as { readonly output: Output; readonly made: number };
  if (clock.now() - made > STATE_MS) throw new Error('expired');
  return output;
}

function toShownPageResult({ mcpReq }: ServerContext, output: Output): CallToolResult {
  const answer = inputResponse(mcpReq.inputResponses, SHOWN_PAGE);
  const isAccepted = answer.kind === 'elicit' && answer.action === 'accept';
  return toToolResult(
    output,
    isAccepted
      ? 'The person agreed to open the payment page.'
      : 'The client did not open the payment page; give the person `url`.',
    'Whether it is paid is not known here: look with list_orders before you start another checkout.',
  );
}

/** A state is bound to the caller, the tool and its arguments. */
function formatStateContext(
  { caller }: FastifyRequest,
  { name = '', arguments: input = {} }: Partial<CallToolRequest['params']>,
): string {
  return serializeCanonicalJson([caller && formatOwner(caller), name, input]);
}
