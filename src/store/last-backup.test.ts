/** The digest reports a backup that is overdue, but not an installation that never made one. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { describeBackupAge } from './last-backup.ts';

const NOW = Date.UTC(2026, 10, 15);

test('a backup of yesterday is fine, one of two days ago is told of, none at all is not', () => {
  const describe = (recordsAt: number | null) => describeBackupAge({ recordsAt, keysAt: NOW }, NOW, 24);
  assert.equal(describe(NOW - DAY_MS), null);
  assert.equal(describe(NOW - 2 * DAY_MS), 'The last backup is 2 days old.');
  assert.equal(describe(null), null);
  assert.equal(describe(NOW + DAY_MS), null);
  assert.match(describe(NOW + 2 * DAY_MS) ?? '', /in the future/);
});

test('keys that were not copied as often as the privacy page says are told of, one late copy is not', () => {
  const describe = (hours: number, backupHours: number) =>
    describeBackupAge({ recordsAt: NOW, keysAt: NOW - hours * HOUR_MS }, NOW, backupHours);
  assert.equal(describe(2.9, 1), null);
  assert.match(describe(3, 1) ?? '', /^The last backup of the shred keys is 3 hours old: /);
  assert.equal(describe(47, 24), null);
  assert.equal(describeBackupAge({ recordsAt: NOW, keysAt: null }, NOW, 1), null);
});
