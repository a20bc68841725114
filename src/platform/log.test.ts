import assert from 'node:assert/strict';
import test from 'node:test';
import { openLog, toErrorTrace } from './log.ts';

function recordLogLine(use: (log: ReturnType<typeof openLog>) => void): Record<string, unknown> {
  const lines: string[] = [];
  use(openLog({ write: (line) => void lines.push(line) }));
  return JSON.parse(lines.join('')) as Record<string, unknown>;
}

test('a field that the event does not list is never written', () => {
  const fields = { method: 'GET', status: 200, url: '/inquiry?session_id=canary' };
  const line = recordLogLine((log) => log.event('request', fields));
  assert.deepEqual(Object.keys(line), ['level', 'time', 'event', 'method', 'status']);
});

test('an error is logged with its class, code and location, never with its message', () => {
  const error = Object.assign(new TypeError('canary\n    at planted (canary.ts:1:1)'), { code: 'E_SAMPLE' });
  const trace = toErrorTrace(error);
  assert.equal(trace.error, 'TypeError');
  assert.equal(trace.error_code, 'E_SAMPLE');
  assert.match(trace.at ?? '', /^log\.test\.ts:\d+:\d+/);
  assert.ok(!JSON.stringify(trace).includes('canary'));
});

test('a thrown value that is no error, and a code that is not plain, are not logged', () => {
  assert.deepEqual(toErrorTrace('canary'), { error: 'string' });
  assert.equal(toErrorTrace(Object.assign(new Error('x'), { code: 'canary canary' })).error_code, undefined);
});

test('an event is one line of JSON, whatever a value contains', () => {
  const reason = 'a "quoted" one\nwith\tmore \u2028 \\ lines';
  const lines: string[] = [];
  openLog({ write: (line) => void lines.push(line) }).event('payment_alarm', { reason });
  assert.match(lines.join(''), /^[^\n]+\n$/);
  const { level, time, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  assert.deepEqual(rest, { event: 'payment_alarm', reason });
  assert.equal(level, 50);
  assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 10_000);
});
