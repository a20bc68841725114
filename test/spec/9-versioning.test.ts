/** Specification 9: the version of the description, and addresses without one. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { buildTestApp } from '#test/test-app.ts';

const { get, port } = await buildTestApp({ after });
const { json } = await get('/openapi.json');

test('the description is 1.0.0 and keeps to OpenAPI 3.1.0', () => {
  assert.equal(json['openapi'], '3.1.0');
  assert.equal((json['info'] as { version: string }).version, '1.0.0');
});

test('no address of the API has a version in it', async () => {
  assert.deepEqual(
    (json['servers'] as { url: string }[]).map(({ url }) => url),
    [`https://localhost:${port}/api`],
  );
  for (const path of Object.keys(json['paths'] as object)) assert.doesNotMatch(path, /\/v\d/);
  assert.equal((await get('/api/v1/health')).status, 404);
});
