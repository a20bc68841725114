/** The digest tells of a backup that is missing, but not of an installation that never made one. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY_MS } from '#platform/durations.ts';
import { describeBackupAge } from './last-backup.ts';

const NOW = Date.UTC(2026, 10, 15);

test('a backup of yesterday is fine, one of two days ago is told of, none at all is not', () => {
  const describe = (recordsAt: number | null) => describeBackupAge({ recordsAt, keysAt: NOW }, NOW);
  assert.equal(describe(NOW - DAY_MS), null);
  assert.equal(describe(NOW - 2 * DAY_MS), 'The last backup is 2 days old.');
  assert.equal(describe(null), null);
  assert.equal(describe(NOW + DAY_MS), null);
  assert.match(describe(NOW + 2 * DAY_MS) ?? '', /in the future/);
});
