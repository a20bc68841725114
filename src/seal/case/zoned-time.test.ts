import assert from 'node:assert/strict';
import test from 'node:test';
import { isTimeZone, isWallTime, toInstant, toUtcMinute, toWallTime } from './zoned-time.ts';

function toUtcTime(wallTime: string, zone: string, occurrence: 'first' | 'last' = 'first'): string | null {
  const time = toInstant(wallTime, zone, occurrence);
  return time === null ? null : toUtcMinute(time);
}

test('a time of the day means another moment in every zone', () => {
  assert.equal(toUtcTime('2026-12-01T15:00', 'Europe/Berlin'), '2026-12-01T14:00Z');
  assert.equal(toUtcTime('2026-12-01T15:00', 'America/New_York'), '2026-12-01T20:00Z');
  assert.equal(toUtcTime('2026-12-01T15:00', 'Asia/Kathmandu'), '2026-12-01T09:15Z');
  assert.equal(toUtcTime('2026-12-31T23:00', 'Pacific/Kiritimati'), '2026-12-31T09:00Z');
  assert.equal(toUtcTime('2026-07-01T15:00', 'UTC'), '2026-07-01T15:00Z');
  assert.equal(toUtcTime('2026-07-01T15:00', '+05:30'), '2026-07-01T09:30Z');
});

test('a time that the clocks skip means as much later', () => {
  assert.equal(toUtcTime('2027-03-28T01:59', 'Europe/Berlin'), '2027-03-28T00:59Z');
  assert.equal(toUtcTime('2027-03-28T02:30', 'Europe/Berlin'), '2027-03-28T01:30Z');
  assert.equal(toUtcTime('2027-03-28T03:00', 'Europe/Berlin'), '2027-03-28T01:00Z');
  assert.equal(toUtcTime('2027-03-14T02:30', 'America/New_York'), '2027-03-14T07:30Z');
  assert.equal(toUtcTime('2027-03-14T03:00', 'America/New_York'), '2027-03-14T07:00Z');
});

test('a time that comes twice is the first or the last one, as asked', () => {
  assert.equal(toUtcTime('2027-10-31T02:30', 'Europe/Berlin'), '2027-10-31T00:30Z');
  assert.equal(toUtcTime('2027-10-31T02:30', 'Europe/Berlin', 'last'), '2027-10-31T01:30Z');
  assert.equal(toUtcTime('2026-11-01T01:30', 'America/New_York'), '2026-11-01T05:30Z');
  assert.equal(toUtcTime('2026-11-01T01:30', 'America/New_York', 'last'), '2026-11-01T06:30Z');
  assert.equal(toUtcTime('2026-11-01T02:00', 'America/New_York', 'last'), '2026-11-01T07:00Z');
});

test('every hour of a year leads to its wall time and back', () => {
  for (const zone of ['Australia/Lord_Howe', 'Africa/Casablanca'])
    for (
      let time = Date.parse('2026-11-16T00:00Z');
      time < Date.parse('2027-11-17T00:00Z');
      time += 3_600_000
    ) {
      const wallTime = toWallTime(time, zone) ?? '';
      assert.ok([toInstant(wallTime, zone), toInstant(wallTime, zone, 'last')].includes(time), wallTime);
    }
});

test('midnight is the hour 00, of the day that begins', () => {
  assert.equal(toWallTime(Date.parse('2026-12-31T23:00Z'), 'Europe/Berlin'), '2027-01-01T00:00');
});

test('an unknown zone and an invalid time are not converted', () => {
  assert.equal(toInstant('2026-12-01T15:00', 'Mars/Olympus_Mons'), null);
  assert.equal(toWallTime(0, 'Mars/Olympus_Mons'), null);
  assert.equal(toWallTime(Number.NaN, 'UTC'), null);
  assert.equal(toInstant('tomorrow', 'UTC'), null);
  for (const zone of ['', 'x'.repeat(100_000), '\u0000', '../etc', 'constructor'])
    assert.ok(!isTimeZone(zone));
  for (const zone of ['Europe/Paris', 'Asia/Calcutta', 'Asia/Kolkata', 'UTC']) assert.ok(isTimeZone(zone));
});

test('a wall time is a day that exists, to the minute', () => {
  for (const text of ['2026-12-31T14:30', '2028-02-29T00:00']) assert.ok(isWallTime(text), text);
  for (const text of ['2026-02-29T10:00', '2026-12-31T24:00', '2026-12-31 14:30', '2026-12-31T14:30Z', ''])
    assert.ok(!isWallTime(text), text);
});
