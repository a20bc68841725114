/** A client that checks every response against the service's OpenAPI document. */
import assert from 'node:assert/strict';
import { Compile } from 'typebox/schema';
import type { OpenApiDocument, OpenApiOperation } from '#agents/documents/openapi-document.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';

/** Statuses that refuse a request before it is routed to an operation. */
const OF_THE_WIRE: ReadonlySet<number> = new Set([405, 408, 414, 417, 431]);

/** Headers that are specific to an operation, so that the document must describe them. */
const OF_THE_OPERATION = ['location', 'link', 'content-disposition'] as const;

const API_PATH = '/api';
/** Read only once: the same for every service of this process. */
let operations: ReturnType<typeof listOperations> | undefined;

export function withOpenApiChecks(get: HttpsClient): HttpsClient {
  return async (path, options = {}) => {
    const answer = await get(path, options);
    const { method = 'GET' } = options;
    if (!path.startsWith(API_PATH)) return answer;
    operations ??= listOperations(resolveReferences((await get('/openapi.json')).json) as OpenApiDocument);
    const [bare = ''] = path.split('?', 1);
    const described = operations.find((each) => each.method === method && each.path.test(bare));
    if (described && !OF_THE_WIRE.has(answer.status)) assertMatchesSchema(answer, described.operation);
    return answer;
  };
}

/** Returns the document with each reference replaced by its target. */
export function resolveReferences(document: unknown): unknown {
  const resolvePart = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolvePart);
    if (typeof part !== 'object' || part === null) return part;
    const { $ref } = part as { $ref?: string };
    if ($ref !== undefined) return resolvePart(findPart(document, $ref));
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolvePart(value)]));
  };
  return resolvePart(document);
}

function findPart(document: unknown, reference: string): unknown {
  const names = reference.replace('#/', '').split('/');
  return names.reduce((part, name) => (part as Record<string, unknown>)[name], document);
}

function listOperations({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) => {
    const whole = API_PATH + path.replaceAll(/\{\w+\}/g, '[^/]+');
    return Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${whole}$`),
      operation,
    }));
  });
}

const validators = new WeakMap<object, ReturnType<typeof Compile>>();

function assertMatchesSchema({ status, headers, text }: HttpsResponse, operation: OpenApiOperation): void {
  const place = `${operation.operationId} ${status}`;
  const response = operation.responses[String(status)];
  assert.ok(response, `${place} is not described: ${text}`);
  const described = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
  for (const name of OF_THE_OPERATION)
    assert.ok(!(name in headers) || described.includes(name), `${place} does not describe its ${name}`);
  const [type = '', media] = Object.entries(response.content ?? {})[0] ?? [];
  if (media === undefined) assert.equal(text, '', place);
  if (media === undefined) return;
  assert.equal(headers['content-type']?.split(';')[0], type, place);
  if (!type.includes('json')) return;
  const validator = validators.get(media) ?? Compile((media.schema ?? {}) as never);
  validators.set(media, validator);
  const value: unknown = JSON.parse(text);
  // Listing the errors takes many times as long as checking whether there are any.
  if (validator.Check(value)) return;
  assert.fail(`${place} does not fit: ${JSON.stringify(validator.Errors(value)[1])}`);
}
