/** Every stored backup can be restored: it stops at rows that no file can hold, and is read back before it is named. */
import assert from 'node:assert/strict';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { writeBackupFile } from '#backup/backup-files.ts';
import { BackupFault, encodeRow } from '#backup/backup-stream.ts';
import { createRowDigests, MAX_MARKED_CASES } from '#backup/write-backup.ts';
import { readConfig } from '#platform/config/config.ts';
import { insertCase } from '#store/cases/cases.ts';
import { insertObjectPiece } from '#store/cases/objects.ts';
import { stageObject } from '#store/cases/staged-objects.ts';
import { openRecordsSnapshot } from '#store/engine/records-snapshot.ts';
import { SLOT_BYTES } from '#store/keys/key-slot.ts';
import { PAGE_BYTES } from '#store/keys/key-slots-page.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import type { RecordValue } from '#store/schema/typed-columns.ts';
import { createCaseRow, type SeededCase, seedCases } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder, withReverseCleanup } from '#test/cleanup.ts';
import { openPostgresEngine, openTestStore, sqliteUnderTest } from '#test/store/engines.ts';
import { backupRecipients, openSampleOffice, restoreSample, type SampleOffice } from './sample-backup.ts';

const cleanUp = withReverseCleanup({ after });
const engines = [sqliteUnderTest, await openPostgresEngine(cleanUp)];

test('no row is written that JSON cannot hold', () => {
  for (const value of [Infinity, -Infinity, NaN]) assert.throws(() => encodeRow(['id', value]), BackupFault);
});

test('digests differ by every value, also by those that a file could take for each other', () => {
  const rows: RecordValue[][] = [
    [null],
    [Infinity],
    [0],
    ['0'],
    [Buffer.from('0')],
    ['null'],
    ['a', 'b'],
    ['ab', ''],
    [''],
    [Buffer.alloc(0)],
    [1, 2],
    [12],
  ];
  const digests = rows.map((row) => {
    const { add, list } = createRowDigests();
    add({ table: 't', columns: ['a'] });
    add({ row });
    return list()[0];
  });
  assert.equal(new Set(digests).size, rows.length);
});

test('a file that reads back differently gets no name', async (t) => {
  const folder = await createTemporaryFolder(t);
  const read: Uint8Array[] = [];
  const output = { folder, name: 'records-x.age', recipients: backupRecipients };
  const createPlain = () => ReadableStream.from([Buffer.from('a row')]);
  const refuse = async () => {
    throw new BackupFault('differs in the table cases');
  };
  await assert.rejects(writeBackupFile({ ...output, plain: createPlain(), check: refuse }), {
    exitCode: 74,
    message: /the data read back differs .*\(differs in the table cases\)/,
  });
  assert.deepEqual(await readdir(folder), []);
  const check = async (written: AsyncIterable<Uint8Array>) => {
    read.push(...(await Array.fromAsync(written)));
  };
  await writeBackupFile({ ...output, plain: createPlain(), check });
  assert.equal(Buffer.concat(read).toString(), 'a row', 'it is opened again from the disk');
});

for (const engine of engines)
  test(`what strangers upload before they redeem, and what gives access, is in no backup on ${engine.name}`, async (t) => {
    const { env } = await engine.createDatabase(cleanUp);
    const store = await openTestStore(t, { env });
    await seedCases(store, 1, { objectBytes: 300_000 });
    await stageObject(store.records, { id: 'loose', uploader: 'stranger', now: Date.now() });
    for (const piece of [0, 1])
      await insertObjectPiece(store.records, { objectId: 'loose', piece, bytes: Buffer.alloc(9) });
    const copied = await readCopy(t, env);
    assert.deepEqual([copied['objects']?.length, copied['object_pieces']?.length], [3, 3]);
    assert.ok(!JSON.stringify(copied).includes('loose'));
    // Their rows must expire sooner than any backup.
    const ending = ['draft_keys', 'notices', 'desk_challenges', 'desk_sessions'];
    for (const table of ['tokens', 'sign_in_codes', 'idempotency', ...ending])
      assert.ok(!(table in copied), table);
  });

for (const engine of engines)
  test(`a purge that was cut off, with its key still there or half written over, does not come back on ${engine.name}`, async (t) => {
    const office = await openSampleOffice(t, { database: await engine.createDatabase(cleanUp) });
    const [kept, ...cut] = await seedCases(office.store, 3);
    const folder = await createTemporaryFolder(t);
    await office.writeRecords(folder);
    for (const { record } of cut)
      await office.store.records
        .updateTable('cases')
        .set({ purging: 1, purge_at: 1 })
        .where('id', '=', record.id)
        .execute();
    if (engine.name === 'sqlite') await writeHalfOver(office, cut[0]!);
    assert.equal((await office.writeKeys(folder)).keys, 1);
    const place = {
      dataDir: await createTemporaryFolder(t),
      database: await engine.createDatabase(cleanUp),
    };
    const report = await restoreSample({ folder, ...place });
    const { cases, purged, unreadable, missing } = report;
    assert.deepEqual(
      { cases, purged, unreadable, missing },
      { cases: 1, purged: { since: 2, due: 0 }, unreadable: 0, missing: 0 },
    );
    const restored = await openSampleOffice(t, place);
    assert.ok(await readCaseKey(restored.store, kept!.record));
  });

test('no keys are copied while more cases are being purged than are looked at', async (t) => {
  const office = await openSampleOffice(t);
  const folder = await createTemporaryFolder(t);
  await office.store.transaction(async (records) => {
    for (let rest = MAX_MARKED_CASES + 1; rest > 0; rest -= 1)
      await insertCase(records, createCaseRow({ purging: 1, purge_at: 1 }));
  });
  await assert.rejects(office.writeKeys(folder), { exitCode: 69, message: /being purged/ });
  assert.deepEqual(await readdir(folder), []);
});

async function readCopy(t: TestContext, env: Record<string, string>): Promise<Record<string, unknown[]>> {
  const snapshot = await openRecordsSnapshot(readConfig(env));
  t.after(() => snapshot.close());
  const copied: Record<string, unknown[]> = {};
  for await (const { name, rows } of snapshot.tables()) copied[name] = await Array.fromAsync(rows);
  return copied;
}

async function writeHalfOver({ dataDir }: SampleOffice, { record }: SeededCase): Promise<void> {
  const file = await open(join(dataDir, 'shred.keys'), 'r+');
  await file.write(Buffer.alloc(8), 0, 8, PAGE_BYTES + record.key_slot! * SLOT_BYTES + 24);
  await file.close();
}
