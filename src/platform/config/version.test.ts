import assert from 'node:assert/strict';
import test from 'node:test';
import { DAY_MS } from '../durations.ts';
import { explainReleaseAge, RELEASE_EXPIRES_AT, RELEASED_ON } from './version.ts';

test('a release expires in less than a year, and says so two months before and ever after', () => {
  const expiry = RELEASE_EXPIRES_AT;
  assert.ok(expiry - Date.parse(RELEASED_ON) < 365 * DAY_MS);
  assert.equal(explainReleaseAge(Date.parse(RELEASED_ON)), null);
  assert.equal(explainReleaseAge(expiry - 60 * DAY_MS - 1), null);
  assert.match(explainReleaseAge(expiry - 60 * DAY_MS) ?? '', /security\.txt expires on \d{4}-\d\d-\d\d:/);
  assert.match(explainReleaseAge(expiry) ?? '', /security\.txt expired on/);
});
