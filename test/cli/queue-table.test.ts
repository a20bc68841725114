/** The queue on a terminal: within 80 columns whatever it holds, and in colours only where they are wanted. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import type { Case } from '#store/cases.ts';
import { buildSeededCase } from '#test/cases/seeded-case.ts';
import { listNamedBeginnings } from '#wire/case-name.ts';
import { formatQueueCounts, formatQueueTable, type QueueRow } from '../../cli/queue-table.ts';

const NOW = Date.UTC(2027, 0, 1);
/** No name is longer. */
const [BEGINNING = ''] = listNamedBeginnings('feathery daffodil');
const ID = BEGINNING.padEnd(22, 'x');
const HOLDER = 'x'.repeat(43);

function buildRow(changes: Partial<Case>, isNew: boolean | null = true): QueueRow {
  const place = { shred_slot: null, shred_id: null };
  const parts = { id: ID, key: Buffer.alloc(32), place };
  return { record: buildSeededCase({ ...parts, changes }).record, isNew };
}

const rows = [
  buildRow({
    state: 'awaiting_client',
    tier: 'Deep Sweep',
    call: 'proposed',
    due_at: NOW - 47 * HOUR_MS - MINUTE_MS,
    unanswered_since: NOW,
    holder: HOLDER,
  }),
  buildRow({
    state: 'delivered',
    held_state: 'received',
    released_at: NOW + 14.5 * MINUTE_MS,
    holder: HOLDER,
  }),
];
const view = { now: NOW, names: new Map(), investigator: null };

test('the widest queue fits into 80 columns, with short ids, and is whole without a terminal', () => {
  const whole = formatQueueTable(rows, { ...view, width: undefined });
  assert.match(whole, /^CASE +NAME +TIER +STATE +DUE +NEWS +WITH +CALL +SEALED BY +PURGED ON\n/);
  assert.match(whole, new RegExp(`^${ID} `, 'm'));
  const narrow = formatQueueTable(rows, { ...view, width: 80 });
  for (const line of narrow.split('\n'))
    assert.ok(stripVTControlCharacters(line).length <= 80, `${line.length}: ${line}`);
  assert.match(narrow, /^CASE +NAME +STATE +DUE +NEWS +WITH\n/);
  assert.match(
    narrow,
    /^\w{3}xxx {2}feathery daffodil +awaiting client +47 hours late +NEW answer +Key \d{4}…\n/m,
  );
  assert.match(narrow, /held for 15 min/);
  assert.match(narrow, /\nA held finding can be taken back: office cases take-back ID\n$/);
});

test('one’s own cases and names are shown as such', () => {
  const own = formatQueueTable(rows, { ...view, width: undefined, investigator: HOLDER });
  assert.match(own, / you /);
  const named = formatQueueTable(rows, { ...view, width: undefined, names: new Map([[HOLDER, 'Zoë']]) });
  assert.match(named, / Zoë /);
  const [row] = rows;
  const plain = formatQueueTable([{ ...row!, isNew: null }], { ...view, width: undefined });
  assert.match(plain, / answered /);
  assert.doesNotMatch(plain, /NEW\b|held/);
});

test('the last line counts, and says where it stopped counting', () => {
  const counts = { open: 1_000, mine: 2, unanswered: 3, late: 0, nobodys: 4 };
  assert.equal(formatQueueCounts(counts, null), '1000 or more open, 0 late, 3 answered, 4 nobody’s.\n');
  assert.match(formatQueueCounts(counts, HOLDER), /, 2 yours\.\n$/);
});
