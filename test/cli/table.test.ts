/** Tables on a terminal: whole where they fit, and never wider than the terminal while a column can go. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { formatFittingTable } from '#cli/terminal/table.ts';

const heads = ['CASE', 'TIER', 'STATE', 'DUE', 'CALL', 'SEALED BY', 'PURGED ON'];
const longest = [
  'pDtv2eGUQgcg5Vn_lWJAew',
  'Deep Sweep',
  'awaiting client',
  '47 hours late',
  'requested',
  'browser',
  '2026-12-15',
];
const optional = ['PURGED ON', 'SEALED BY', 'CALL'];

test('the widest queue fits into 80 columns, and is whole where there is no width', () => {
  const whole = formatFittingTable(heads, [longest], { width: undefined, optional });
  assert.match(whole, /PURGED ON\n.*2026-12-15\n$/);
  const narrow = formatFittingTable(heads, [longest], { width: 80, optional });
  assert.ok(
    narrow.split('\n').every((line) => line.length <= 80),
    narrow,
  );
  assert.match(narrow, /^CASE +TIER +STATE +DUE\b/);
  assert.equal(formatFittingTable(heads, [longest], { width: 200, optional }), whole);
});

test('what is not optional stays, however narrow the terminal is', () => {
  const table = formatFittingTable(heads, [longest], { width: 10, optional });
  assert.equal(table.split('\n')[0], 'CASE                    TIER        STATE            DUE');
});
