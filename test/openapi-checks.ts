/** A client that holds every answer against the service's own description of it. */
import assert from 'node:assert/strict';
import { Compile } from 'typebox/schema';
import type { OpenApiDocument, OpenApiOperation } from '#agents/documents/openapi-document.ts';
import type { HttpsClient, HttpsResponse } from './https-client.ts';

/** Refused before a request belongs to an operation. */
const OF_THE_WIRE: ReadonlySet<number> = new Set([405, 408, 414, 417, 431]);

interface DescribedOperation {
  readonly method: string;
  readonly path: RegExp;
  readonly operation: OpenApiOperation;
}

interface Description {
  readonly operations: readonly DescribedOperation[];
  readonly problem: object;
}

export function withOpenApiChecks(get: HttpsClient, apiPath = '/api'): HttpsClient {
  let description: Promise<Description> | undefined;
  return async (path, options = {}) => {
    const answer = await get(path, options);
    const { method = 'GET' } = options;
    if (![apiPath, '/agents/registrations', '/auth.md'].some((start) => path.startsWith(start)))
      return answer;
    description ??= get('/openapi.json').then(({ json }) =>
      toDescription(json as unknown as OpenApiDocument, apiPath),
    );
    const { operations, problem } = await description;
    const [bare = ''] = path.split('?', 1);
    const described = operations.find((each) => each.method === method && each.path.test(bare));
    if (described && !OF_THE_WIRE.has(answer.status))
      assertMatchesSchema(answer, described.operation, problem);
    return answer;
  };
}

function toDescription(document: OpenApiDocument, apiPath: string): Description {
  const operations = Object.entries(document.paths).flatMap(([path, { servers, ...methods }]) => {
    const whole = (servers ? '' : apiPath) + path.replaceAll(/\{\w+\}/g, '[^/]+');
    return Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${whole}$`),
      operation,
    }));
  });
  const { Problem: problem } = document.components['schemas'] as { Problem: object };
  return { operations, problem };
}

function assertMatchesSchema(
  { status, headers, text }: HttpsResponse,
  operation: OpenApiOperation,
  problem: object,
): void {
  const place = `${operation.operationId} ${status}`;
  const response = operation.responses[String(status)];
  assert.ok(response, `${place} is not described: ${text}`);
  const [type = '', media] = Object.entries(response.content ?? {})[0] ?? [];
  if (media === undefined) assert.equal(text, '', place);
  if (media === undefined) return;
  assert.equal(headers['content-type']?.split(';')[0], type, place);
  if (!type.includes('json')) return;
  const schema = status < 400 ? (media.schema ?? {}) : problem;
  const [fits, errors] = Compile(schema as never).Errors(JSON.parse(text));
  assert.ok(fits, `${place} does not fit: ${JSON.stringify(errors)}`);
}
