/** The numbers as a page: sentences above charts, the same as tables, and agents and orders for owners alone. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readWeekNumbers } from '#desk/model/week-numbers.ts';
import { DAY_MS } from '#platform/durations.ts';
import { toIsoTime } from '#platform/text/iso-time.ts';
import type { DeskNumbers, DeskWeeks } from '#wire/desk-lists.ts';
import { openDeskPages, readPage } from './asked-pages.ts';
import { startScriptedOffice } from './scripted-office.ts';

test('weeks and months are sentences, charts and tables; without a case each says so', async (t) => {
  const office = await startScriptedOffice(t);
  const now = toIsoTime(Date.now());
  const waiting = { unanswered: 0, due_within_a_day: 0, late: 0, contact: 0, refunds: 0 };
  let numbers: DeskNumbers = { cases: {}, ...waiting, agents: null, orders: null, now };
  let counts: DeskWeeks['counts'] = [];
  office.script = ({ path }) =>
    path === '/numbers' ? { json: numbers } : path === '/numbers/weeks' ? { json: { counts, now } } : null;
  const { ask, show } = openDeskPages(await office.connect());
  const empty = readPage(await ask('GET', '/numbers'));
  assert.equal(empty.title, 'Desk: numbers');
  for (const text of [
    '0 cases last week',
    'Nothing was delivered last week',
    'Nothing was delivered in twelve weeks',
  ])
    assert.ok(empty.html.includes(text), text);
  assert.doesNotMatch(empty.html, /\/agents|\/orders|NaN|Infinity/);
  const monday = Date.now() - ((new Date().getUTCDay() + 6) % 7) * DAY_MS;
  const week = new Date(monday - 7 * DAY_MS).toISOString().slice(0, 10);
  const month = new Date().toISOString().slice(0, 7);
  counts = [
    { period: week, what: 'sent Trace', counted: 15 },
    { period: week, what: 'sent Deep Sweep', counted: 6 },
    { period: week, what: 'hours 12', counted: 20 },
    { period: week, what: 'hours 30', counted: 9 },
    { period: week, what: 'hours late', counted: 1 },
    { period: week, what: 'declined', counted: 2 },
    { period: month, what: 'delivered', counted: 4 },
    { period: month, what: 'opened', counted: 3 },
  ];
  numbers = { ...numbers, agents: 1, orders: 0 };
  const html = await show('/numbers');
  for (const text of [
    '21 cases last week',
    '96% on time last week',
    '1 of 30 was late.',
    'Half are delivered within 18 hours',
    'nine in ten within 36 hours',
    '75% of the findings were opened',
    '<th scope="row">30–36</th><td>9</td>',
    'In twelve weeks, 2 declined and 0 withdrawn.',
    'Agents awaiting a decision</dt><dd><a href="/agents">1<',
  ])
    assert.ok(html.includes(text), text);
  assert.doesNotMatch(html, /NaN|Infinity/);
});

test('the last of twelve weeks is the present one, and weeks begin on Monday', () => {
  const { weeks, months } = readWeekNumbers({ counts: [] }, Date.UTC(2026, 10, 15, 23, 59));
  assert.deepEqual([weeks.length, weeks[0]?.label, weeks.at(-1)?.label], [12, '24 Aug', '9 Nov']);
  assert.deepEqual([months[0]?.label, months.at(-1)?.label], ['Jun', 'Nov']);
});
