/** Re-sealing all cases, killed midway: every case opens all the time, and a second run completes it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { adoptRecipientSet } from '#cases/sealing/recipient-set.ts';
import { computeRecipientSetTag } from '#cases/sealing/sealing-keys.ts';
import { generateId } from '#platform/text/ids.ts';
import { type CaseKeyRecipients, generateCaseKey, openCaseKey, sealCaseKey } from '#seal/core/case-key.ts';
import { deriveWordKeys, generateWords, type WordKeys } from '#seal/core/words.ts';
import { countCasesToReseal } from '#store/cases/case-keys.ts';
import { insertCase } from '#store/cases/cases.ts';
import { readCaseKey, storeCaseKey } from '#store/keys/shred-keys.ts';
import type { Store } from '#store/store.ts';
import { buildSeededCase } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { runCli } from '#test/cli/desk-cli.ts';
import { createTeamMember, type TeamMember, writeTeamSettings } from '#test/cli/desk-team.ts';
import { COMPILE_CACHE } from '#test/service-process.ts';
import { listEngines, openTestStore } from '#test/store/engines.ts';

const CASES = 16;
const cleanUp = withReverseCleanup({ after });
const folder = await createTemporaryFolder(cleanUp);
const createMember = (name: string) => createTeamMember(folder, name);
const [leaving, staying, coming, recovery] = await Promise.all(
  ['Leaving', 'Staying', 'Coming', 'Kept'].map(createMember),
);
assert.ok(leaving && staying && coming && recovery);
const previous = { desk: [leaving.recipient, staying.recipient], recovery: recovery.recipient };
const today = { desk: [staying.recipient, coming.recipient], recovery: recovery.recipient };

for (const engine of await listEngines(cleanUp))
  test(`${engine.name}: a killed run leaves every case open to its holders, and the next one ends it`, async (t) => {
    const place = await engine.createDatabase(t);
    const store = await openTestStore(t, place);
    await adoptRecipientSet({ store }, previous, { people: [] });
    const buyers = await seedSealedCases(store, previous, CASES);
    const settings = await writeTeamSettings(folder, [staying, coming], recovery.recipient);
    const env = { DATA_DIR: folder, ...place.env, ...settings };
    const countLeft = () => countCasesToReseal(store.records, computeRecipientSetTag(today));

    const child = spawn(
      process.execPath,
      ['bin/office.js', 'keys', 'reseal', '--key', staying.keyFile, '--yes'],
      {
        env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
        stdio: 'ignore',
      },
    );
    const exited = once(child, 'exit');
    while ((await countLeft()) > CASES - 2 && child.exitCode === null) await sleep(10);
    child.kill('SIGKILL');
    await exited;
    const left = await countLeft();
    assert.ok(left > 0 && left < CASES, `killed with ${left} of ${CASES} left`);
    assert.equal(await countOpened(store, staying), CASES);
    assert.equal(await countOpened(store, coming), CASES - left);
    assert.equal(await countOpened(store, leaving), left);
    assert.equal(await countOpenedByBuyers(store, buyers), CASES);

    const { code, stdout, stderr } = await runCli(env, ['keys', 'reseal', '--key', recovery.keyFile]);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      new RegExp(`^${left} cases? sealed again\\.\nRestart every instance that still runs`),
    );
    assert.deepEqual(
      await Promise.all([staying, coming, leaving].map((member) => countOpened(store, member))),
      [CASES, CASES, 0],
    );
    assert.equal(await countOpenedByBuyers(store, buyers), CASES);
  });

/** Cases with nothing but their key, sealed as a browser would. */
async function seedSealedCases(store: Store, holders: CaseKeyRecipients, count: number): Promise<WordKeys[]> {
  const buyers: WordKeys[] = [];
  for (let index = 0; index < count; index += 1) {
    const words = await deriveWordKeys(generateWords());
    const sealed = await sealCaseKey(await generateCaseKey(words), holders);
    const id = generateId();
    await store.transaction(async (records) => {
      const place = await storeCaseKey(store.shredKeys, records, id, sealed);
      // Half of them as if an earlier version had stored them.
      const sealedTo = index % 2 === 0 ? computeRecipientSetTag(holders) : null;
      const changes = { state: 'received', delivered_at: null, purge_at: null, sealed_to: sealedTo } as const;
      const { record } = buildSeededCase({ id, key: randomBytes(32), place, changes });
      await insertCase(records, { ...record, lookup_hash: words.lookupHash });
    });
    buyers.push(words);
  }
  return buyers;
}

async function countOpened(store: Store, { identity }: Pick<TeamMember, 'identity'>): Promise<number> {
  const cases = await store.records.selectFrom('cases').selectAll().execute();
  let opened = 0;
  for (const record of cases) {
    const sealed = await readCaseKey(store, record);
    const key = await openCaseKey(sealed ?? new Uint8Array(), identity, record.lookup_hash).catch(() => null);
    if (key) opened += 1;
  }
  return opened;
}

async function countOpenedByBuyers(store: Store, buyers: readonly WordKeys[]): Promise<number> {
  const cases = await store.records.selectFrom('cases').selectAll().execute();
  let opened = 0;
  for (const { lookupHash, identity } of buyers) {
    const record = cases.find(({ lookup_hash: hash }) => hash === lookupHash);
    assert.ok(record);
    const sealed = await readCaseKey(store, record);
    if (await openCaseKey(sealed ?? new Uint8Array(), identity, lookupHash)) opened += 1;
  }
  return opened;
}
