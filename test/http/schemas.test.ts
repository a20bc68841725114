/** The schemas of the routes, and what their validators say. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { fastify, type RouteOptions } from 'fastify';
import { mcpTools } from '#api/mcp/tools.ts';
import { ajvOptions, buildValidatorCompiler } from '#platform/http/schema-compilers.ts';
import { listRoutesWithSchemas, listSchemaPlaces } from './route-schemas.ts';

const numbers = { type: 'array', maxItems: 100, items: { type: 'number' } };

const routes = await listRoutesWithSchemas({ after });

test('every schema of every route is a valid schema and can be compiled', async () => {
  assert.ok(routes.length > 20, String(routes.length));
  const strict = fastify({ ajv: { customOptions: { ...ajvOptions, validateSchema: true } } });
  for (const { method, url, schema } of routes)
    strict.route({ method, url, schema, handler: () => {} } as RouteOptions);
  await strict.ready();
  for (const broken of [{ type: 'nothing' }, { minLength: -1 }]) {
    const other = fastify();
    other.post('/', { schema: { body: broken }, handler: () => {} });
    await assert.rejects(async () => await other.ready(), /FST_ERR_SCH_VALIDATION_BUILD|schema is invalid/);
  }
});

test('every list in a schema has a most of items', () => {
  const endless = routes.flatMap(({ method, url, schema = {} }) =>
    [schema.body, schema.querystring, schema.params, schema.headers, ...Object.values(schema.response ?? {})]
      .flatMap((part) => listSchemaPlaces(part as object | undefined))
      .filter(({ schema: { type, maxItems } }) => type === 'array' && maxItems === undefined)
      .map(({ path }) => `${String(method)} ${url}: ${path.join('/')}`),
  );
  const tools = mcpTools.flatMap(({ name, input }) =>
    listSchemaPlaces(input)
      .filter(({ schema: { type, maxItems } }) => type === 'array' && maxItems === undefined)
      .map(({ path }) => `${name}: ${path.join('/')}`),
  );
  assert.deepEqual([...endless, ...tools], []);
});

test('all faults of a small body are told, and the first of one with very many values', () => {
  const compile = buildValidatorCompiler({} as never, { customOptions: ajvOptions });
  const schema = { type: 'object', properties: { a: numbers, b: numbers } };
  const validate = compile({ schema });
  const listFaults = (count: number) => {
    const wrong = Array<string>(count).fill('');
    assert.equal(validate({ a: wrong, b: wrong }), false);
    return validate.errors?.map(({ keyword, instancePath }) => `${instancePath} ${keyword}`);
  };
  assert.deepEqual(listFaults(1), ['/a/0 type', '/b/0 type']);
  assert.equal(listFaults(200)?.length, 402);
  assert.deepEqual(listFaults(300), ['/a maxItems']);
  assert.deepEqual([validate({ a: [1] }), validate.errors], [true, null]);
});

test('the schemas of headers have lower-case names, which Fastify does not change for a compiler of our own', () => {
  for (const { schema } of routes) {
    const { properties = {} } = (schema?.headers ?? {}) as { properties?: Record<string, unknown> };
    for (const name of Object.keys(properties)) assert.equal(name, name.toLowerCase());
  }
});

test('nothing is converted: a number in a body is a number', () => {
  const compile = buildValidatorCompiler({} as never, { customOptions: ajvOptions });
  const body = compile({ schema: { type: 'object', properties: { limit: { type: 'integer' } } } });
  assert.deepEqual([body({ limit: 5 }), body({ limit: '5' })], [true, false]);
});
