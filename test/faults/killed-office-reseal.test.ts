/** Re-sealing over the network, killed midway: every case opens all the time, and the next run completes it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { countCasesToReseal } from '#store/cases/case-keys.ts';
import { writeAskedSet } from '#test/cli/asking-owner.ts';
import { buildDistantOffice } from '#test/cli/distant-office.ts';
import { canOpenStoredKey, writeOfficeTeam } from '#test/desk-api/changed-team.ts';
import { type DeskKey, generateDeskKey } from '#test/desk-api/desk-client.ts';
import { insertPlantedCase } from '#test/desk-api/planted-case.ts';
import { COMPILE_CACHE } from '#test/service-process.ts';

/** Two requests of twenty cases each, and a few more. */
const CASES = 45;

test('a killed run leaves every case open to its holders, and the next one goes on', {
  timeout: 300_000,
}, async (t) => {
  const office = await buildDistantOffice(t);
  const { keys, store } = office;
  const coming = await generateDeskKey();
  const cases = await Array.fromAsync({ length: CASES }, () => insertPlantedCase(office));
  const team = [
    { name: 'ana', role: 'owner', recipient: keys.ana.recipient },
    { name: 'zoe', role: 'investigator', recipient: coming.recipient },
  ] as const;
  const set = await writeOfficeTeam(office, team);
  const asked = await writeAskedSet(office.folder, team, (await office.services.sealingKeys).recovery);
  const countLeft = () => countCasesToReseal(store.records, set);
  const countOpened = async (key: Pick<DeskKey, 'identity'>) => {
    const opened = await Array.fromAsync(cases, ({ id }) => canOpenStoredKey(office, id, key));
    return opened.filter(Boolean).length;
  };

  const args = ['keys', 'reseal', '--yes', ...asked, ...office.trust, '--key', office.keyFiles.ana];
  const child = spawn(process.execPath, ['bin/office.js', ...args], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE, ...office.env },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  while ((await countLeft()) === CASES && child.exitCode === null) await sleep(10);
  child.kill('SIGKILL');
  await exited;
  // The service is still storing what it has received.
  let left = await countLeft();
  for (let before = CASES; before !== left; left = await countLeft()) {
    before = left;
    await sleep(500);
  }
  assert.ok(left > 0 && left < CASES, `killed with ${left} of ${CASES} left`);
  assert.deepEqual(
    [await countOpened(keys.ana), await countOpened(coming), await countOpened(keys.ben)],
    [CASES, CASES - left, left],
  );

  const { code, stdout, stderr } = await office.runAs('ana', 'keys', 'reseal', ...asked);
  assert.equal(code, 0, stderr);
  assert.match(stdout, new RegExp(`^${left} cases sealed again\\.\nRestart every instance that still runs`));
  assert.deepEqual(
    [await countOpened(keys.ana), await countOpened(coming), await countOpened(keys.ben)],
    [CASES, CASES, 0],
  );
});
