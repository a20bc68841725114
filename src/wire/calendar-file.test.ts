import assert from 'node:assert/strict';
import test from 'node:test';
import { createCalendarFile } from './calendar-file.ts';

const startsAt = Date.parse('2026-11-20T14:00:00Z');
const now = Date.parse('2026-11-16T09:30:05.123Z');

function writeTitle(title: string): string {
  return createCalendarFile([{ title, startsAt, endsAt: startsAt + 1_800_000, alarmMinutes: 15 }], now);
}

function joinFoldedLines(file: string): string[] {
  return file.replaceAll('\r\n ', '').split('\r\n');
}

test('a calendar file has the times in UTC, the title, an alarm with the same title, and nothing else', () => {
  const file = writeTitle('Appointment').replace(/UID:[\da-f-]{36}/, 'UID:random');
  assert.equal(
    file,
    [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Calendar//EN',
      'BEGIN:VEVENT',
      'UID:random',
      'DTSTAMP:20261116T093005Z',
      'DTSTART:20261120T140000Z',
      'DTEND:20261120T143000Z',
      'SUMMARY:Appointment',
      'CLASS:PRIVATE',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'DESCRIPTION:Appointment',
      'TRIGGER:-PT15M',
      'END:VALARM',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ].join('\r\n'),
  );
});

test('every event has its own random name', () => {
  const event = { title: 'Appointment', startsAt, endsAt: startsAt, alarmMinutes: 0 };
  const names = createCalendarFile([event, event], now).match(/UID:.+/g) ?? [];
  assert.equal(new Set([...names, ...(writeTitle('').match(/UID:.+/g) ?? [])]).size, 3);
});

test('a title cannot write a line of its own', () => {
  const lines = joinFoldedLines(writeTitle('a\\b;c,d\r\nEND:VEVENT\rATTACH:x\n\u0000\u001b\u0085e\tf'));
  assert.ok(lines.includes(String.raw`SUMMARY:a\\b\;c\,d\nEND:VEVENT\nATTACH:x\ne` + '\tf'));
  assert.equal(lines.filter((line) => line === 'END:VEVENT').length, 1);
});

test('lines are folded at 75 octets, and no character is cut', () => {
  for (const title of ['x'.repeat(300), 'é'.repeat(200), '日本'.repeat(100), `a${'👩‍👧'.repeat(60)}`]) {
    const file = writeTitle(title);
    const bytes = Buffer.from(file);
    assert.equal(bytes.toString('utf8'), file);
    const lines = file.split('\r\n');
    assert.ok(lines.every((line) => Buffer.byteLength(line) <= 75));
    assert.ok(lines.every((line) => line.isWellFormed() && !line.includes('\ufffd')));
    assert.ok(lines.some((line) => Buffer.byteLength(line) >= 72));
    assert.ok(joinFoldedLines(file).includes(`SUMMARY:${title}`));
  }
});
