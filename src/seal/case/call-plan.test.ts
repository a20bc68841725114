import assert from 'node:assert/strict';
import test from 'node:test';
import { formatBookedCall } from './booked-call.ts';
import { buildCallPlan } from './call-plan.ts';
import type { CaseContent } from './case-content.ts';
import { type CaseActor, validateCaseMessage } from './message.ts';

const windows = [{ start: '2026-12-01T10:00', end: '2026-12-01T12:00', zone: 'Europe/Berlin' }];
const later = [{ start: '2026-12-02T10:00', end: '2026-12-02T12:00', zone: 'Europe/Berlin' }];
const call = { at: '2026-12-01T09:30Z', zone: 'Europe/Berlin' };
const given = { call_windows: windows, call_number: '+44 20 7946 0000' };

type Said = CaseContent<null>['messages'][number];

function say(by: CaseActor, value: object): Said {
  const checked = validateCaseMessage(value, { by });
  assert.ok('message' in checked, JSON.stringify(checked));
  return { by, said: { content: checked.message } } as unknown as Said;
}

function buildPlan(inquiry: object, messages: readonly Said[], isBooked = true) {
  const content = { call_number: '', call_windows: [], ...inquiry };
  return buildCallPlan({ inquiry: { content }, messages } as unknown as CaseContent<null>, isBooked);
}

test('times and number come from the inquiry until the buyer gives others', () => {
  const ofInquiry = { number: given.call_number, windows, booked: null };
  assert.deepEqual(buildPlan(given, []), ofInquiry);
  assert.deepEqual(buildPlan(given, [say('buyer', { text: 'Hello' })]), ofInquiry);
  assert.deepEqual(buildPlan(given, [say('buyer', { call_windows: later })]), {
    ...ofInquiry,
    windows: later,
  });
  const moved = say('buyer', { call_windows: later, call_number: '+1 212 555 0123' });
  assert.equal(buildPlan(given, [moved]).number, '+1 212 555 0123');
});

test('the last booking counts, until the buyer gives other times', () => {
  const booked = say('desk', { call });
  const moved = say('desk', { text: 'Later.', call: { ...call, at: '2026-12-01T10:30Z' } });
  assert.deepEqual(buildPlan(given, [booked]).booked, call);
  assert.equal(
    buildPlan(given, [booked, moved, say('desk', { text: 'Bye' })]).booked?.at,
    '2026-12-01T10:30Z',
  );
  assert.equal(buildPlan(given, [booked, say('buyer', { call_windows: later })]).booked, null);
  assert.deepEqual(buildPlan(given, [booked, say('buyer', { text: 'Thanks' })]).booked, call);
  assert.equal(buildPlan(given, [booked], false).booked, null, 'the desk has offered other times since');
});

test('a case without a readable inquiry or message has a plan all the same', () => {
  const unreadable = { unreadable: 'x', reason: 'tampered' };
  const messages = [{ by: 'desk', said: unreadable }];
  const content = { inquiry: unreadable, messages } as unknown as CaseContent<null>;
  assert.deepEqual(buildCallPlan(content, true), { number: '', windows: [], booked: null });
});

test('only the desk can book, and only a moment to the minute in UTC', () => {
  const listErrors = (value: object, by: CaseActor) => {
    const checked = validateCaseMessage(value, { by });
    return 'errors' in checked ? checked.errors.map(({ pointer }) => pointer) : [];
  };
  assert.deepEqual(listErrors({ call }, 'desk'), []);
  assert.deepEqual(listErrors({ text: 'x', call }, 'buyer'), ['/call']);
  for (const at of ['2026-12-01T09:30', '2026-12-01T09:30+01:00', '2026-02-30T09:30Z', '', 1, 'x'.repeat(99)])
    assert.deepEqual(listErrors({ call: { ...call, at } }, 'desk'), ['/call/at'], String(at));
  assert.deepEqual(listErrors({ call: { ...call, place: 'x' } }, 'desk'), ['/call/place']);
  assert.deepEqual(listErrors({ call: 'soon' }, 'desk'), ['/call']);
});

test('a booking is named in its zone with UTC beside it, or in UTC alone', () => {
  assert.equal(formatBookedCall(call), '2026-12-01 10:30 Europe/Berlin, 09:30 UTC');
  assert.equal(formatBookedCall({ ...call, zone: 'UTC' }), '2026-12-01 09:30 UTC');
  assert.equal(formatBookedCall({ ...call, zone: 'Mars/Olympus' }), '2026-12-01 09:30 UTC');
  assert.equal(
    formatBookedCall({ at: '2026-12-01T23:30Z', zone: 'Europe/Berlin' }),
    '2026-12-02 00:30 Europe/Berlin, 2026-12-01 23:30 UTC',
  );
});
