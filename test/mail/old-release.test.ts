/** The digest warns an operator of an old release before its security.txt expires. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { RELEASE_EXPIRES_AT, RELEASED_ON } from '#platform/config/version.ts';
import { DAY_MS } from '#platform/durations.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { createTasks, listPeriodicRuns } from '#test/periodic-runs.ts';
import { openTestStore } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';

test('the digest says that security.txt expires soon, and not while the release is new', async (t) => {
  const env = { DATA_DIR: await createDataFolder(t) };
  let now = Date.parse(RELEASED_ON);
  const store = await openTestStore(t, { env });
  const tasks = listPeriodicRuns(createTasks(env, { ...createTrustedClock({ now: () => now }), store }));
  const readDigest = async (at: number) => {
    now = at;
    for (const name of ['write the digest', 'outbox']) await tasks.find((task) => task.name === name)?.run();
    const emails = globSync(join(env.DATA_DIR, 'mail', '*.eml')).toSorted();
    // Long lines are broken for transport (quoted-printable).
    return emails.map((file) => readFileSync(file, 'utf8').replaceAll(/=\r?\n/g, ''));
  };
  assert.deepEqual(await readDigest(now), []);
  const [young = ''] = await readDigest(now + DAY_MS);
  assert.match(young, /^Subject: Digest$/m);
  assert.doesNotMatch(young, /security\.txt/);
  const [, old = ''] = await readDigest(RELEASE_EXPIRES_AT - DAY_MS);
  assert.match(old, /This release is dated .* and its security\.txt expires on/);
});
