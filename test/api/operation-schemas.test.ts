/** No operation takes or sends a field that its schema does not name. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
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
  readonly body?: Schema;
  readonly response?: Readonly<Record<string, Schema>>;
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
    const { body, response = {} } = (operation.route.schema ?? {}) as RouteSchema;
    const schemas = [...(body ? [body] : []), ...Object.values(response).filter(({ content }) => !content)];
    for (const schema of schemas) assert.deepEqual(listOpenObjects(schema, operation.path), []);
  }
});
