/** Runs a tool and converts its response or problem to a result that a model can act on. */
import type { CallToolResult, EmbeddedResource } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { ServiceError } from '#platform/errors.ts';
import { resolveProblem } from '#platform/http/problem.ts';
import type { ProblemCode } from '#platform/problems.ts';
import type { Services } from '#services.ts';
import { ATTACHED } from './attached-file.ts';
import type { McpTool } from './tool.ts';

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
    return toToolResult(await tool.run(services, { caller: request.caller, input: input as never }));
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

function formatPlace(place: { readonly pointer: string } | { readonly parameter: string }): string {
  return 'pointer' in place ? place.pointer.replace(BODY_PART, '') : `/${place.parameter}`;
}

function toErrorResult(
  { code, publicMessage, errors = [], headers }: ServiceError,
  requestId: string,
): CallToolResult {
  const wait = headers['retry-after'];
  const lines = [
    [`${code}: ${publicMessage}`, toolHints[code] ?? ''].join(' ').trim(),
    ...errors.map(({ detail, ...place }) => `${formatPlace(place)}: ${detail}`),
    ...(wait === undefined ? [] : [`Try again after ${wait} seconds.`]),
    `request_id: ${requestId}`,
  ];
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }] };
}
