/** Specification 4.1 and 2.4: the liveness probe. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { buildTestApp } from '#test/test-app.ts';

test('health answers 200 with exactly the one field', async (t) => {
  const { get } = await buildTestApp(t);
  const { status, headers, text } = await get('/api/health');
  assert.equal(status, 200);
  assert.equal(text, '{"status":"ok"}');
  assert.match(headers['content-type'] ?? '', /^application\/json\b/);
});

test('health answers while the record store is away; readiness says so', async (t) => {
  const rejectPing = () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
  const { get } = await buildTestApp(t, { store: (store) => ({ ...store, ping: rejectPing }) });
  assert.equal((await get('/api/health')).status, 200);
  const ready = await get('/api/ready');
  assert.equal(ready.status, 503);
  assert.equal(ready.json['code'], 'not_ready');
  assert.equal(ready.headers['retry-after'], '5');
});
