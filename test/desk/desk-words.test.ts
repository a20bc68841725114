/** What the desk says about times, people and events, and how it shortens times for a call. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { nameAssignee } from '#desk/model/assignee-name.ts';
import { listCallTimes, pickBuyerZone } from '#desk/model/call-times.ts';
import { listEndingCases, listNews } from '#desk/model/case-news.ts';
import { groupCases, pickNextCase } from '#desk/model/case-queue.ts';
import { formatDeskTime, formatLength, formatTimeInBoth } from '#desk/model/desk-time.ts';
import { describeDue } from '#desk/model/due-clock.ts';
import { showLine, showText } from '#desk/model/shown-text.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { createDeskCase } from './sealed-fixture.ts';

const OWN_HOLDER = 'A'.repeat(43);
const COLLEAGUE = 'B'.repeat(43);
const NOW = Date.parse('2026-11-17T09:02:00Z');
const HOUR = 3_600_000;

function createEntries(facts: readonly Partial<DeskQueueEntry>[]): DeskQueueEntry[] {
  return facts.map((each) => ({ ...createDeskCase(each, NOW - HOUR), news: each.news ?? null }));
}

const toTime = (hours: number) => new Date(NOW + hours * HOUR).toISOString();

test('times are said in the own zone and in UTC, with the day where it is another one', () => {
  const due = Date.parse('2026-11-17T12:40:00Z');
  assert.equal(formatTimeInBoth(due, NOW, 'Europe/Paris'), 'today at 13:40, 12:40 UTC');
  assert.equal(formatTimeInBoth(due, NOW, 'UTC'), 'today at 12:40 UTC');
  const late = Date.parse('2026-11-17T23:30:00Z');
  assert.equal(formatTimeInBoth(late, NOW, 'Europe/Paris'), 'tomorrow at 00:30, today 23:30 UTC');
  assert.equal(formatDeskTime(late, NOW, 'Europe/Paris'), 'Wed 00:30');
  assert.equal(formatDeskTime(Date.parse('2026-12-03T08:00:00Z'), NOW, 'Europe/Paris'), '3 Dec 09:00');
});

test('the clock is words, and its tone follows them', () => {
  const describeIn = (hours: number) => describeDue({ due_at: toTime(hours) }, NOW);
  assert.deepEqual([describeIn(3).words, describeIn(3).tone], ['in 3 hours', 'soon']);
  assert.deepEqual([describeIn(40).sentence, describeIn(40).tone], ['Due in 40 hours', null]);
  assert.deepEqual([describeIn(-2).sentence, describeIn(-2).tone], ['2 hours late', 'late']);
  assert.deepEqual([describeIn(-0.01).words, describeIn(0.5).words], ['1 minute late', 'in 30 minutes']);
  assert.equal(formatLength(4 * 24 * HOUR), '4 days');
});

test('groups are Late, Next 12 hours, Within a day, Later, Ended; none is empty', () => {
  const entries = createEntries([
    { due_at: toTime(-1) },
    { due_at: toTime(12) },
    { due_at: toTime(13) },
    { due_at: toTime(30) },
    { due_at: toTime(-30), state: 'delivered' },
  ]);
  assert.deepEqual(
    groupCases(entries, NOW).map(({ name, cases }) => [name, cases.length]),
    [
      ['Late', 1],
      ['Next 12 hours', 1],
      ['Within a day', 1],
      ['Later', 1],
      ['Ended', 1],
    ],
  );
  assert.deepEqual(groupCases([], NOW), []);
});

test('next is what is due first, of one’s own and the unassigned, unless it waits for the buyer', () => {
  const entries = createEntries([
    { due_at: toTime(1), holder: COLLEAGUE, acts: ['take_over', 'note'] },
    { due_at: toTime(2), holder: OWN_HOLDER, state: 'awaiting_client' },
    { due_at: toTime(3), holder: null },
    { due_at: toTime(4), holder: OWN_HOLDER },
  ]);
  assert.equal(pickNextCase(entries, OWN_HOLDER), entries[2]);
  assert.equal(pickNextCase(entries, OWN_HOLDER, entries[2]?.id), entries[3]);
  assert.equal(pickNextCase(entries.slice(0, 2), OWN_HOLDER), null);
  const [left] = createEntries([{ due_at: toTime(1), holder: COLLEAGUE, acts: ['take', 'note'] }]);
  assert.equal(pickNextCase([left!], OWN_HOLDER), left, 'of a colleague who left');
});

test('news are what happened since, the latest first; purges are listed before they come', () => {
  const entries = createEntries([
    { submitted_at: toTime(-1), unanswered_since: toTime(-0.5) },
    { submitted_at: toTime(-60), due_at: toTime(-2), holder: COLLEAGUE, late: true },
    {
      submitted_at: toTime(-50),
      state: 'delivered',
      delivered_at: toTime(-3),
      purge_at: toTime(48),
      purge_by: COLLEAGUE,
    },
  ]);
  const staff = { holder: OWN_HOLDER, people: [{ holder: COLLEAGUE, name: 'Kim' }] };
  const news = listNews(entries, { since: NOW - 24 * HOUR, now: NOW, staff, gists: new Map() });
  assert.deepEqual(
    news.map(({ before, after }) => `${before}…${after}`),
    ['The buyer wrote in ….', '… arrived (Dossier).', '… is late. Kim has it.', 'The desk delivered ….'],
  );
  assert.deepEqual(
    listEndingCases([...entries, ...entries.slice(2)], { now: NOW, staff }).map(({ id, askedBy }) => [
      id,
      askedBy,
    ]),
    [[entries[2]?.id, 'Kim']],
  );
  assert.equal(nameAssignee('Z'.repeat(43), staff), 'A colleague who left');
});

test('times for a call are cut from what the buyer gave, named in both zones, never in the past', () => {
  const window = { start: '2026-11-17T17:00', end: '2026-11-17T19:00', zone: 'Asia/Tokyo' };
  const [times] = listCallTimes([window], NOW);
  assert.equal(times?.label, '2026-11-17 17:00 to 19:00, Asia/Tokyo');
  assert.deepEqual(
    times?.begins.map(({ at }) => new Date(at).toISOString().slice(11, 16)),
    ['09:30'],
  );
  assert.match(times?.begins[0]?.label ?? '', /18:30 there/);
  assert.deepEqual(listCallTimes([{ ...window, zone: 'Mars/Olympus' }], NOW), []);
  assert.equal(pickBuyerZone([{ ...window, zone: 'Mars/Olympus' }]), 'UTC');
});

test('what is not seen is shown, and line breaks stay where they may', () => {
  assert.equal(showText('a\u202eb\r\nc\u{e0041}'), 'a⟨U+202E⟩b\nc⟨U+E0041⟩');
  assert.equal(showLine(' a \n b\t'), 'a b');
  assert.equal(showText('❤️'), '❤️');
});
