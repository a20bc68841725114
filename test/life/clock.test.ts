/** The whole program after a start with an implausible clock: nothing is lost, and an operator can go on. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '#platform/durations.ts';
import { findLastSeenTime, updateLastSeenTime } from '#store/clock-guard.ts';
import { killService } from '#test/cases/restartable-service.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { createDataFolder } from '#test/data-folder.ts';
import { startServiceProcess, waitForProgramOutput } from '#test/service-process.ts';
import { openTestStore } from '#test/store/engines.ts';

const SWEEPS_MS = 2_500;

test('31 days after the last seen time nothing is purged, killed and started again or not, until clock accept', async (t) => {
  const env = { DATA_DIR: await createDataFolder(t), SWEEP_SECONDS: '1', RATE_LIMIT: 'off' };
  const store = await openTestStore(t, { env });
  const now = Date.now();
  const lastSeen = now - 31 * DAY_MS;
  const past = { submitted_at: lastSeen, delivered_at: lastSeen, purge_at: now - HOUR_MS };
  await seedCase(store, past);
  await updateLastSeenTime(store.records, lastSeen, 0);
  const countCases = async () => (await store.records.selectFrom('cases').select('id').execute()).length;

  const first = await startServiceProcess(t, env);
  assert.match(first.readOutput(), /^Inquiry Office has started, but is not ready: clock\.\n/m);
  assert.match(first.readOutput(), /Clock +skew: this machine shows .* but the service last saw .*/);
  await waitForProgramOutput(first, '"event":"clock_alarm","reason":"ahead"');
  await sleep(SWEEPS_MS);
  assert.equal(await countCases(), 1);
  await killService(first);
  const second = await startServiceProcess(t, env);
  await sleep(SWEEPS_MS);
  assert.equal(await countCases(), 1);
  assert.equal((await findLastSeenTime(store.records))?.seen_at, lastSeen);
  assert.doesNotMatch(first.readOutput() + second.readOutput(), /"purged"|task_failed/);

  const unsure = await runCli(env, ['clock', 'accept'], 'yes\n');
  assert.equal(unsure.code, 1);
  assert.match(
    unsure.stderr,
    /This machine +.*\nLast seen +.*\nDatabase +-\nDue for purge +1 case\n.*Not confirmed/s,
  );
  const accepted = await runCli(env, ['clock', 'accept', '--json'], 'accept\n');
  assert.equal(accepted.code, 0, accepted.stderr);
  assert.equal(JSON.parse(accepted.stdout).due_cases, 1);
  await waitForProgramOutput(second, '"event":"purged","cases":1');
  assert.match(second.readOutput(), /"event":"clock_trusted"/);
  assert.equal(await countCases(), 0);
  const needless = await runCli(env, ['clock', 'accept']);
  assert.deepEqual(needless, {
    code: 0,
    stdout: 'There is no clock skew to accept. If a service still reports clock skew, add --yes.\n',
    stderr: '',
  });
  const anyway = await runCli(env, ['clock', 'accept', '--yes']);
  assert.match(anyway.stdout, /Accepted\. The service resumes within 1 second \(SWEEP_SECONDS\)/);
});
