/** What a command says about a file that its user cannot read or write. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { explainAccess, formatAccessFault } from '#cli/terminal/file-access.ts';

test('a file that cannot be used is answered with what to do about the reason', () => {
  const say = (code: string, owner: number | null) => formatAccessFault('/x', code, owner);
  assert.match(
    say('EACCES', 4711),
    /^This user lacks read or write access to \/x \(EACCES\), which belongs to user 4711: run /,
  );
  assert.match(say('EACCES', null), /\(EACCES\): run the command as the user of the service\.$/);
  assert.match(
    say('EROFS', 0),
    /\(EROFS\): the disk is mounted read-only\. Find out why \(dmesg\), then remount it\.$/,
  );
  assert.equal(say('ENOENT', null), '/x does not exist; check DATA_DIR.');
  assert.deepEqual(explainAccess('/no/such', 0), {
    isMissing: true,
    text: '/no/such does not exist; check DATA_DIR.',
  });
});
