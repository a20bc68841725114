/** Specification 4.4 and 9: the OpenAPI description checked by its schema, by a linter and against the real routes. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { promisify } from 'node:util';
import { Compile } from 'typebox/schema';
import type { OpenApiDocument, OpenApiOperation } from '#agents/documents/openapi-document.ts';
import { SCOPES } from '#platform/scopes.ts';
import { WEBHOOK_EVENTS } from '#platform/webhook-event-types.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { resolveReferences, withOpenApiChecks } from '#test/openapi-checks.ts';
import { buildTestApp } from '#test/test-app.ts';

const run = promisify(execFile);
const { app, get, services } = await buildTestApp({ after });
const answer = await get('/openapi.json');
const document = resolveReferences(answer.json) as OpenApiDocument;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [method, path, operation] as const),
);

function findOperation(id: string): OpenApiOperation {
  const [, , found] = operations.find(([, , { operationId }]) => operationId === id) ?? [];
  assert.ok(found, id);
  return found;
}

function readExample(id: string, status: number): Record<string, unknown> {
  const { content = {} } = findOperation(id).responses[status] ?? {};
  return content['application/json']?.example as Record<string, unknown>;
}

test('the description has no contact address that its readers refuse', () => {
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
  const contact = { name: 'Inquiry Office', url: services.addresses.site };
  assert.deepEqual(document.info['contact'], contact);
});

test('the linter reports nothing', async (t) => {
  const folder = await createTemporaryFolder(t);
  // The linter rightly reports a server on localhost, where the tests run.
  const published = answer.text.replaceAll(services.addresses.site, 'https://inquiry-office.test');
  await writeFile(join(folder, 'openapi.json'), published);
  await writeFile(join(folder, 'redocly.yaml'), 'extends: [recommended-strict]\ntelemetry: off\n');
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    CI: 'true',
  };
  const redocly = join(process.cwd(), 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  const args = [redocly, 'lint', 'openapi.json', '--format=stylish'];
  const { stdout, stderr } = await run(process.execPath, args, { cwd: folder, env }).catch(
    (error: unknown) => error as { stdout: string; stderr: string },
  );
  assert.match(stderr, /Your API description is valid/, stdout + stderr);
  assert.doesNotMatch(stdout + stderr, /warning/i);
});

test('every operation of the API is described, and every described operation exists', () => {
  const described = operations.map(([method, path]) => `${method.toUpperCase()} ${path}`);
  for (const [method, path] of operations) {
    const url = (services.addresses.apiPath + path).replaceAll(/\{\w+\}/g, 'x');
    assert.ok(app.findRoute({ method: method.toUpperCase(), url }), `${method} ${path}`);
  }
  for (const needed of ['GET /health', 'GET /stripe/status', 'POST /stripe/checkout', 'GET /orders'])
    assert.ok(described.includes(needed), needed);
  assert.ok(!described.includes('POST /stripe/webhook'), 'for the payment provider alone');
});

for (const [method, path, operation] of operations) {
  test(`${method} ${path} has a name, a summary, examples, refusals and limits`, () => {
    assert.match(operation.operationId, /^[a-z][A-Za-z]+$/);
    assert.ok(operation.summary.length > 5 && !operation.summary.endsWith('.'));
    assert.ok(operation.description?.startsWith(`${operation.summary}.`), 'stands alone');
    assert.ok(document.tags.some(({ name }) => name === operation.tags[0]));
    assert.ok(operation.security);
    assert.ok(operation['x-requests-per-minute'] || operation.operationId === 'getHealth');
    const statuses = Object.keys(operation.responses);
    assert.ok(statuses.some((status) => status.startsWith('2')));
    assert.ok(statuses.some((status) => status.startsWith('4')));
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      assert.doesNotMatch(description, /Default Response/);
      if (status >= '400') assert.deepEqual(Object.keys(content ?? {}), ['application/problem+json']);
      for (const [type, media] of Object.entries(content ?? {}))
        if (type === 'application/json') assert.notEqual(media.example, undefined, status);
    }
  });
}

test('what operations share has a plain name, and the whole is small and compressed', async () => {
  const { components } = answer.json as unknown as { components: Record<string, Record<string, object>> };
  for (const name of ['Case', 'CaseList', 'Inquiry', 'Order', 'OrderList', 'Message', 'Tier', 'Problem'])
    assert.ok(components['schemas']?.[name], name);
  const plainNames = Object.values(STATUS_CODES).map((name = '') => name.replaceAll(/[^A-Za-z]/g, ''));
  for (const name of Object.keys(components['responses'] ?? {})) assert.ok(plainNames.includes(name), name);
  assert.ok(components['responses']?.['NotFound'] && components['parameters']?.['Limit']);
  const zipped = await get('/openapi.json', { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
  assert.equal(zipped.headers['content-encoding'], 'br');
  assert.ok(Number(zipped.headers['content-length']) <= 16_384, zipped.headers['content-length']);
  assert.match(zipped.headers.vary ?? '', /accept-encoding/);
  assert.notEqual(zipped.headers.etag, answer.headers.etag);
});

test('a problem has the codes that operations name, and no others', () => {
  const named = operations.flatMap(([, , { responses }]) =>
    Object.values(responses).flatMap(({ description }) =>
      [...description.matchAll(/`(\w+)`:/g)].map(([, code = '']) => code),
    ),
  );
  const schema = findOperation('getHealth').responses['400']?.content?.['application/problem+json']?.schema;
  assert.deepEqual(new Set(schema?.properties?.['code']?.enum), new Set(named));
  assert.ok(!named.includes('owner_only') && named.includes('answer_timeout'));
});

test('each answer has an example of its own, which fits its schema and the request', () => {
  for (const [, , { operationId, responses, requestBody }] of operations)
    for (const { content = {} } of [...Object.values(responses), requestBody ?? {}]) {
      const { schema, example } = content['application/json'] ?? {};
      if (!schema) continue;
      const [fits, errors] = Compile(schema as never).Errors(example);
      assert.ok(fits, `${operationId}: ${JSON.stringify(errors)}`);
      assert.doesNotMatch(JSON.stringify(example), /…/, operationId);
    }
  assert.equal(readExample('withdrawCase', 200)['state'], 'withdrawn');
  assert.equal(readExample('setRetention', 200)['keep_days'], 90);
  const opened = readExample('createInquiry', 201);
  assert.equal(opened['sealed_by'], 'server');
  assert.equal(String(opened['words']).split(' ').length, 12);
  assert.ok(readExample('setCallback', 201)['secret'] && !readExample('setCallback', 200)['secret']);
});

function listHeaders(id: string, status: number): string[] {
  return Object.keys(findOperation(id).responses[status]?.headers ?? {});
}

test('the headers of answers are described: where the new thing is, the next page, the name of a file', () => {
  const listOwn = (id: string, status: number) =>
    listHeaders(id, status).filter((name) => !name.startsWith('RateLimit'));
  assert.deepEqual(listOwn('createCheckout', 200), ['Location']);
  assert.deepEqual(listOwn('createInquiry', 201), ['Location']);
  for (const id of ['listOrders', 'listCases', 'listMessages'])
    assert.deepEqual(listOwn(id, 200), ['Link'], id);
  assert.deepEqual(listHeaders('openPlainFile', 200), ['Content-Disposition']);
});

test('the headers that tell a limit are described where they are sent', () => {
  const limits = ['RateLimit', 'RateLimit-Policy'];
  assert.deepEqual(listHeaders('listCases', 429), ['Retry-After', ...limits]);
  assert.deepEqual(listHeaders('getCase', 200), ['ETag', ...limits]);
  assert.deepEqual(listHeaders('withdrawCase', 200), limits);
  assert.deepEqual(listHeaders('getPricing', 200), limits, 'with a token');
  assert.deepEqual(listHeaders('getSealingKeys', 200), limits.slice(1), 'no token is looked at');
  assert.deepEqual(listHeaders('getHealth', 200), [], 'no limit keeps a probe out');
});

test('each event of webhooks is described with its body and its headers', () => {
  const types = Object.values(WEBHOOK_EVENTS).flat();
  assert.deepEqual(Object.keys(document.webhooks), types);
  for (const type of types) {
    const { post } = document.webhooks[type] ?? {};
    const { schema, example } = post?.requestBody?.content['application/json'] ?? {};
    assert.ok(Compile(schema as never).Check(example), type);
    assert.ok(!Compile(schema as never).Check({ ...(example as object), type: 'another' }), type);
    assert.deepEqual(
      post?.parameters?.map(({ name }) => name),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    );
  }
});

test('no body has a choice at its top, which bridges to models and their function calls refuse', () => {
  for (const [, , { operationId, requestBody }] of operations) {
    const schema = requestBody?.content['application/json']?.schema;
    if (!schema) continue;
    assert.equal(schema.type, 'object', operationId);
    for (const keyword of ['oneOf', 'anyOf', 'allOf']) assert.ok(!(keyword in schema), operationId);
  }
});

test('limits are in the schemas: lengths and ranges', () => {
  const limit = findOperation('listCases').parameters?.find(({ name }) => name === 'limit')?.schema;
  assert.deepEqual([limit?.type, limit?.minimum, limit?.maximum], ['integer', 1, 100]);
  const body = findOperation('createInquiry').requestBody?.content['application/json']?.schema;
  const question = body?.properties?.['plain']?.properties?.['inquiry']?.properties?.['question'];
  assert.deepEqual([question?.minLength, question?.maxLength], [20, 4000]);
  assert.equal(findOperation('putUploadPiece')['x-body-bytes'], 262_144);
});

test('the security scheme has every grant and every scope', () => {
  const schemes = document.components['securitySchemes'] as Record<string, Record<string, never>>;
  const flows = schemes['oauth']?.['flows'] as unknown as Record<string, Record<string, unknown>>;
  assert.deepEqual(Object.keys(flows), ['authorizationCode', 'clientCredentials']);
  assert.equal(flows['authorizationCode']?.['authorizationUrl'], services.addresses.oauth.authorize);
  for (const flow of Object.values(flows)) {
    assert.equal(flow['tokenUrl'], services.addresses.oauth.token);
    assert.deepEqual(Object.keys(flow['scopes'] as object), [...SCOPES]);
  }
  assert.equal(flows['authorizationCode']?.['refreshUrl'], services.addresses.oauth.token);
});

test('a response that does not match its description is found', async () => {
  const createSpoiltClient = (change: (answer: HttpsResponse) => Partial<HttpsResponse>) =>
    withOpenApiChecks(async (path, ask) => {
      const real = await get(path, ask);
      return path === '/openapi.json' ? real : { ...real, ...change(real) };
    });
  const getSpoiltHealth = (change: Partial<HttpsResponse>) => createSpoiltClient(() => change)('/api/health');
  await getSpoiltHealth({});
  await assert.rejects(getSpoiltHealth({ text: '{"status":"bad"}' }), /does not fit/);
  await assert.rejects(getSpoiltHealth({ text: '{"status":"ok","more":1}' }), /does not fit/);
  await assert.rejects(getSpoiltHealth({ status: 204 }), /not described/);
  await assert.rejects(
    createSpoiltClient(() => ({ headers: { 'content-type': 'text/html' } }))('/api/health'),
  );
});
