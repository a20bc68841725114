/** A client that holds every answer against the service's own description of it. */
import assert from 'node:assert/strict';
import { Compile } from 'typebox/schema';
import type { OpenApiDocument, OpenApiOperation } from '#agents/documents/openapi-document.ts';
import type { HttpsClient, HttpsResponse } from '#test/https-client.ts';

/** Refused before a request belongs to an operation. */
const OF_THE_WIRE: ReadonlySet<number> = new Set([405, 408, 414, 417, 431]);

/** Headers that an operation has for a reason of its own, so that a program must be told of them. */
const OF_THE_OPERATION = ['location', 'link', 'content-disposition'] as const;

interface DescribedOperation {
  readonly method: string;
  readonly path: RegExp;
  readonly operation: OpenApiOperation;
}

export function withOpenApiChecks(get: HttpsClient, apiPath = '/api'): HttpsClient {
  let description: Promise<readonly DescribedOperation[]> | undefined;
  return async (path, options = {}) => {
    const answer = await get(path, options);
    const { method = 'GET' } = options;
    if (!path.startsWith(apiPath)) return answer;
    description ??= get('/openapi.json').then(({ json }) =>
      listOperations(resolveReferences(json) as OpenApiDocument, apiPath),
    );
    const operations = await description;
    const [bare = ''] = path.split('?', 1);
    const described = operations.find((each) => each.method === method && each.path.test(bare));
    if (described && !OF_THE_WIRE.has(answer.status)) assertMatchesSchema(answer, described.operation);
    return answer;
  };
}

/** A document in which each reference is replaced by what it refers to. */
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

function listOperations({ paths }: OpenApiDocument, apiPath: string): readonly DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) => {
    const whole = apiPath + path.replaceAll(/\{\w+\}/g, '[^/]+');
    return Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${whole}$`),
      operation,
    }));
  });
}

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
  const [fits, errors] = compileOnce(media.schema ?? {}).Errors(JSON.parse(text));
  assert.ok(fits, `${place} does not fit: ${JSON.stringify(errors)}`);
}

const compiled = new WeakMap<object, ReturnType<typeof Compile>>();

/** Compiling takes longer than everything else that is looked at. */
function compileOnce(schema: object): ReturnType<typeof Compile> {
  const known = compiled.get(schema) ?? Compile(schema as never);
  compiled.set(schema, known);
  return known;
}
