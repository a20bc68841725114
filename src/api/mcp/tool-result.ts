/** Runs a tool and turns what came of it, an answer or a problem, into a result that a model can act on. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { ServiceError } from '#platform/errors.ts';
import { resolveProblem } from '#platform/http/problem.ts';
import type { Services } from '#services.ts';
import type { McpTool } from './tool.ts';

/** Sentences of the API name its operations; here they have other names. */
const toolNames: readonly (readonly [operation: string, tool: string])[] = [
  ['`GET /orders/{order}`', 'list_orders'],
  ['GET /cases lists', 'list_cases lists'],
  ['`GET /pricing`', 'get_pricing'],
  ['make a new checkout', 'use create_checkout again'],
];

/** Where the body of an operation has a part of its own, the input of a tool has none. */
const BODY_PART = /^\/(?:plain|querystring)(?=\/)/;

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
    return toErrorResult(resolveProblem({ log, translate: store.translate }, error, request.id));
  }
}

export function toToolResult(output: Readonly<Record<string, unknown>>, ...notes: string[]): CallToolResult {
  const texts = [JSON.stringify(output), ...notes];
  return { structuredContent: { ...output }, content: texts.map((text) => ({ type: 'text', text })) };
}

/** By the validator of the API, with the same sentences. */
function requireValidInput(request: FastifyRequest, { input: schema }: McpTool, input: unknown): void {
  const validate = request.compileValidationSchema(schema);
  if (!validate(input)) throw Object.assign(new Error('input'), { validation: validate.errors });
}

function toErrorResult({ code, publicMessage, errors = [] }: ServiceError): CallToolResult {
  const sentence = toolNames.reduce((text, [name, tool]) => text.replaceAll(name, tool), publicMessage);
  const fields = errors.map(({ pointer, detail }) => `${pointer.replace(BODY_PART, '')}: ${detail}`);
  return { isError: true, content: [{ type: 'text', text: [`${code}: ${sentence}`, ...fields].join('\n') }] };
}
