/** A purge that is killed repeatedly still removes all that is due, once, and leaves its bytes in no file. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import { type SeededCase, seedCases } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { scale } from '#test/scale.ts';
import { startProgram, waitForProgramOutput } from '#test/service-process.ts';
import { checkAuditChain } from '#test/store/audit-check.ts';
import { openTestStore } from '#test/store/engines.ts';

const ROUNDS = scale.purgeKills;
const DUE = scale.purgedCases;
const OTHERS = 100;
const INVESTIGATOR = 'I'.repeat(43);

test('purges killed repeatedly at random still remove every due case', async (t) => {
  const folder = await createTemporaryFolder(t);
  const env = { DATA_DIR: folder };
  const store = await openTestStore(t, { env });
  const due = [];
  for (let planted = 0; planted < DUE; planted += 200)
    due.push(
      ...(await seedCases(store, 200, {
        changes: { purge_at: 1 + planted, ...(planted === 0 && { kept_until: 2, purge_by: INVESTIGATOR }) },
      })),
    );
  const others = await seedCases(store, OTHERS, { changes: { purge_at: Date.now() + 86_400_000 } });
  assert.equal(findKeysInFolder(folder, due.slice(0, 50)).length, 50, 'the search finds what is there');
  await store.close();

  let kills = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const program = startProgram(t, 'test/faults/purge-runner.ts', env);
    await waitForProgramOutput(program, 'begun');
    // Early enough that the next round has something left to purge.
    await sleep(Math.random() * 100);
    program.process.kill('SIGKILL');
    if ((await program.ended) === 'SIGKILL') kills += 1;
  }
  const last = startProgram(t, 'test/faults/purge-runner.ts', env);
  assert.equal(await last.ended, 0, last.readOutput());
  assert.ok(kills >= ROUNDS / 2, `${kills} kills hit a purge`);

  assert.deepEqual(findKeysInFolder(folder, due), []);
  const after = await openTestStore(t, { env });
  const left = await after.records.selectFrom('cases').select(['id', 'purging']).execute();
  assert.deepEqual(new Set(left.map(({ id }) => id)), new Set(others.map(({ record }) => record.id)));
  assert.ok(left.every(({ purging }) => purging === 0));
  for (const { record } of others.slice(0, 10)) assert.ok(await readCaseKey(after, record));
  const tombstones = await after.records.selectFrom('tombstones').select('lookup_hash').execute();
  assert.equal(tombstones.length, DUE);
  assert.equal(new Set(tombstones.map(({ lookup_hash }) => lookup_hash)).size, DUE);
  const { head, fault } = await checkAuditChain(after.records, null);
  assert.deepEqual([head.number, fault], [200, null], 'each purge by the desk has its author once');
  const objects = await after.records.selectFrom('objects').select('id').execute();
  assert.equal(objects.length, OTHERS * 3);
});

/** Lists every shred key that is in a file of the folder. */
function findKeysInFolder(folder: string, planted: readonly SeededCase[]): string[] {
  const byStart = new Map<number, Buffer[]>();
  for (const marker of planted.map(({ markers }) => markers[1]!)) {
    const start = marker.readUInt32LE(0);
    byStart.set(start, [...(byStart.get(start) ?? []), marker]);
  }
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const markers = findMarkersInBytes(readFileSync(join(entry.parentPath, entry.name)), byStart);
      return markers.map((marker) => `${entry.name}: ${marker}`);
    });
}

function findMarkersInBytes(bytes: Buffer, byStart: ReadonlyMap<number, readonly Buffer[]>): string[] {
  const markers: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 1)
    for (const marker of byStart.get(bytes.readUInt32LE(at)) ?? [])
      if (bytes.subarray(at, at + marker.length).equals(marker))
        markers.push(`${marker.toString('hex')} at ${at}`);
  return markers;
}
