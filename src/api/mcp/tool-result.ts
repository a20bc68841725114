/** Runs a tool and converts its response or problem to a result that a model can act on. */
import type { CallToolResult, EmbeddedResource } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '#oauth/guard.ts';
import type { PublicAddresses } from '#platform/addresses.ts';
import { ServiceError } from '#platform/errors.ts';
import { resolveProblem } from '#platform/http/problem.ts';
import { readBounded } from '#platform/net/bounded-bytes.ts';
import type { ProblemCode } from '#platform/problems.ts';
import type { OpenedSealedFile } from '#seal/files/sealed-file.ts';
import type { Services } from '#services.ts';
import { chooseAccess, type McpTool } from './tool.ts';

export const MAX_ATTACHED_BYTES = 1024 ** 2;

/** Holds the content of a file, which is not part of the structured content. */
const ATTACHED = Symbol('attached');

const TEXT_TYPES = /^(?:text\/|application\/json$)/;

export async function attachFile(
  { site }: PublicAddresses,
  id: string,
  { name, mime, content }: OpenedSealedFile,
): Promise<object> {
  // Reads to the end, because only then is the file known to be authentic.
  const bytes = await readBounded(content, MAX_ATTACHED_BYTES);
  // Too large for the result: the person opens it on the page.
  if (bytes === null) return { name, mime, url: `${site}/case` };
  const place = { uri: `case-file:${id}`, mimeType: mime };
  const text = TEXT_TYPES.test(mime) ? decodeText(bytes) : null;
  const resource = text === null ? { ...place, blob: bytes.toString('base64') } : { ...place, text };
  return { name, mime, [ATTACHED]: { type: 'resource', resource } satisfies EmbeddedResource };
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Hints that name the tool for what a problem's sentence advises. */
const toolHints: Partial<Readonly<Record<ProblemCode, string>>> = {
  payment_required: 'get_order has the status.',
  payment_held: 'get_order has the status.',
  idempotency_key_used: 'list_orders lists the orders.',
  order_redeemed: 'list_cases lists the cases.',
  terms_changed: 'get_pricing has the version and the address of the terms.',
  payments_not_configured: 'get_payment_status tells when that has changed.',
  case_sealed_elsewhere: 'The resource sealing.md says how.',
};

/** Operations nest these fields in `plain`; tools do not. */
const BODY_PART = /^\/plain(?=\/)/;

export async function runTool(
  services: Services,
  request: FastifyRequest,
  tool: McpTool,
  input: unknown,
): Promise<CallToolResult> {
  try {
    requireValidInput(request, tool, input);
    // The route refuses such a call first; checked again, because a tool relies on the caller that it is given.
    if (request.caller === null && typeof chooseAccess(tool, input) === 'string')
      throw new ServiceError('unauthorized');
    return toToolResult(await tool.run(services, request.caller as Caller, input as never));
  } catch (error) {
    const { log, store } = services;
    return toErrorResult(resolveProblem({ log, translate: store.translate }, error, request.id), request.id);
  }
}

export function toToolResult(output: object, ...notes: string[]): CallToolResult {
  const { [ATTACHED]: attached, ...facts } = output as Readonly<Record<string, unknown>> & {
    readonly [ATTACHED]?: EmbeddedResource;
  };
  const texts = [JSON.stringify(facts), ...notes].map((text) => ({ type: 'text' as const, text }));
  return { structuredContent: facts, content: [...texts, ...(attached ? [attached] : [])] };
}

/** Uses the validator of the API, so the sentences are the same. */
function requireValidInput(request: FastifyRequest, { input: schema }: McpTool, input: unknown): void {
  const validate = request.compileValidationSchema(schema);
  if (!validate(input)) throw Object.assign(new Error('input'), { validation: validate.errors });
}

function toErrorResult(
  { code, publicMessage, errors = [], headers }: ServiceError,
  requestId: string,
): CallToolResult {
  const wait = headers['retry-after'];
  const lines = [
    [`${code}: ${publicMessage}`, toolHints[code] ?? ''].join(' ').trim(),
    ...errors.map(({ detail, ...place }) =>
      'pointer' in place
        ? `${place.pointer.replace(BODY_PART, '')}: ${detail}`
        : `/${place.parameter}: ${detail}`,
    ),
    ...(wait === undefined ? [] : [`Try again after ${wait} seconds.`]),
    `request_id: ${requestId}`,
  ];
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }] };
}
