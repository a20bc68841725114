/** Every operation has a complete schema: name, summary, no unknown fields, and each of its problems. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { buildProblemResponses, listProblemCodes } from '#platform/http/operation.ts';
import { problemKinds } from '#platform/problems.ts';
import { buildTestApp } from '#test/test-app.ts';
import { listApiOperations } from './api-operations.ts';

const built = await buildTestApp({ after });
const operations = await listApiOperations(built.services);

interface Schema {
  readonly type?: string;
  readonly additionalProperties?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface RouteSchema {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly body?: Schema;
  readonly response?: Readonly<Record<string, Schema>>;
}

function getDescription(operation: (typeof operations)[number]): RouteSchema {
  return (operation.route.schema ?? {}) as RouteSchema;
}

function listOpenObjects(schema: Schema, place: string): string[] {
  const openHere = schema.type === 'object' && schema.additionalProperties !== false ? [place] : [];
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    listOpenObjects(each, `${place}/${name}`),
  );
  return [...openHere, ...inner, ...(schema.items ? listOpenObjects(schema.items, `${place}/*`) : [])];
}

test('every body and every response forbids unknown fields', () => {
  for (const operation of operations) {
    const { body, response = {} } = getDescription(operation);
    const schemas = [...(body ? [body] : []), ...Object.values(response).filter(({ content }) => !content)];
    for (const schema of schemas) assert.deepEqual(listOpenObjects(schema, operation.path), []);
  }
});

test('the problems of an operation follow from its access and its schemas, by status', () => {
  const { route } = operations.find(
    ({ route: each }) => (each.schema as RouteSchema).operationId === 'createInquiry',
  )!;
  const responses = buildProblemResponses(route);
  assert.deepEqual(Object.keys(responses), [
    '400',
    '401',
    '402',
    '403',
    '404',
    '406',
    '409',
    '413',
    '415',
    '422',
    '429',
    '500',
    '503',
  ]);
  for (const code of listProblemCodes(route))
    assert.match(responses[String(problemKinds[code].status)]?.description ?? '', new RegExp(`\`${code}\``));
  const health = operations.find(({ path }) => path === '/health')!;
  assert.deepEqual(Object.keys(buildProblemResponses(health.route)), ['400', '406', '415', '500', '503']);
});
