/** The queue on a terminal: within 80 columns whatever it holds, and in colours only where they are wanted. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { formatQueueCounts, formatQueueTable } from '#cli/cases/case-queue.ts';
import type { DeskQueueEntry } from '#desk/office/queue-reader.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { createDeskCase } from '#test/desk/sealed-fixture.ts';
import { listNamedBeginnings } from '#wire/case-name.ts';

const NOW = Date.UTC(2027, 0, 1);
/** The longest name that a case can have. */
const [BEGINNING = ''] = listNamedBeginnings('feathery daffodil');
const ID = BEGINNING.padEnd(22, 'x');
const HOLDER = 'x'.repeat(43);

const toIso = (time: number) => new Date(time).toISOString();

function buildRow(changes: Partial<DeskQueueEntry>): DeskQueueEntry {
  const facts = { id: ID, tier: 'Trace', due_at: toIso(NOW), holder: HOLDER };
  return { ...createDeskCase({ ...facts, ...changes }, NOW), news: 'case' };
}

const rows = [
  buildRow({
    state: 'awaiting_client',
    tier: 'Deep Sweep',
    call: 'proposed',
    due_at: toIso(NOW - 47 * HOUR_MS - MINUTE_MS),
    late: true,
    unanswered_since: toIso(NOW),
  }),
  buildRow({ state: 'delivered', held_until: toIso(NOW + 14.5 * MINUTE_MS) }),
];
const view = { now: NOW, names: new Map(), investigator: 'o'.repeat(43) };

test('the widest queue fits into 80 columns, with short ids, and is whole without a terminal', () => {
  const whole = formatQueueTable(rows, { ...view, width: undefined });
  assert.match(whole, /^CASE +NAME +TIER +STATE +DUE +NEWS +ASSIGNEE +CALL +SEALED BY +PURGED ON\n/);
  assert.match(whole, new RegExp(`^${ID} `, 'm'));
  const narrow = formatQueueTable(rows, { ...view, width: 80 });
  for (const line of narrow.split('\n'))
    assert.ok(stripVTControlCharacters(line).length <= 80, `${line.length}: ${line}`);
  assert.match(narrow, /^CASE +NAME +STATE +DUE +NEWS +ASSIGNEE\n/);
  assert.match(formatQueueTable(rows, { ...view, width: 10 }), /^CASE +NAME +STATE +DUE +NEWS\n/);
  assert.match(
    narrow,
    /^\w{3}xxx {2}feathery daffodil +awaiting client +47 hours late +NEW answer +Key \d{4}…\n/m,
  );
  assert.match(narrow, /15 min to undo/);
  assert.match(narrow, /\nA delivery or decline on hold can be taken back: office cases take-back ID\n$/);
});

test('one’s own cases and names are shown as such', () => {
  const own = formatQueueTable(rows, { ...view, width: undefined, investigator: HOLDER });
  assert.match(own, / you /);
  const named = formatQueueTable(rows, { ...view, width: undefined, names: new Map([[HOLDER, 'Zoë']]) });
  assert.match(named, / Zoë /);
  const [row] = rows;
  const plain = formatQueueTable([{ ...row!, news: null }], { ...view, width: undefined });
  assert.match(plain, / awaiting reply /);
  const seen = rows.map((each) => ({ ...each, news: null }));
  for (const line of formatQueueTable(seen, { ...view, width: 80 }).split('\n'))
    assert.ok(stripVTControlCharacters(line).length <= 80, line);
  assert.doesNotMatch(plain, /NEW\b|to undo|on hold/);
});

test('the last line counts, and says where it stopped counting', () => {
  const counts = { open: 1_000, mine: 2, unanswered: 3, late: 0, unassigned: 4 };
  assert.equal(
    formatQueueCounts(counts),
    '1000 or more open, 0 late, 3 awaiting reply, 4 unassigned, 2 yours.\n',
  );
});
