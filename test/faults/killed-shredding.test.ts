/** After a kill at any step, live cases still have their keys, and only cases marked as being purged lose theirs. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, open, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type TestContext } from 'node:test';
import { createPurger } from '#cases/ending/purge.ts';
import { decodeSlot, type KeySlot, SLOT_BYTES } from '#store/keys/key-slot.ts';
import { readCaseKey } from '#store/keys/shred-keys.ts';
import { type SeededCase, seedCase, seedCases } from '#test/cases/seeded-case.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { isLongRun, scale } from '#test/scale.ts';
import { startProgram } from '#test/service-process.ts';
import { openTestStore, silentLog, testKeyring } from '#test/store/engines.ts';
import { createTrustedClock } from '#test/trusted-clock.ts';

const HEADER_BYTES = 4096;
const PRELOAD = `--import=${resolve('test/faults/kill-at-step.ts')}`;

interface KilledFolder {
  readonly folder: string;
  readonly place: { readonly env: { readonly DATA_DIR: string } };
  readonly rows: readonly StoredRow[];
  readonly readSlot: (number: number) => KeySlot;
}

interface StoredRow {
  readonly id: string;
  readonly purging: number;
  readonly key_slot: number | null;
  readonly shred_id: string | null;
}

interface KillOptions {
  readonly work: 'open' | 'create' | 'move' | 'purge';
  /** Prepared once; each run gets a copy. */
  readonly folder: string;
  readonly check: (killed: KilledFolder) => Promise<void>;
}

/** Kills before each step and, if the step writes a slot, within the step too, as a power cut would. */
async function killAtEachStep(t: TestContext, { work, folder, check }: KillOptions): Promise<void> {
  const run = async (killAt: number, tornAt: number) => {
    const copy = await createTemporaryFolder(t);
    await cp(folder, copy, { recursive: true });
    const env = { DATA_DIR: copy, WORK: work, KILL_AT: String(killAt), TORN_AT: String(tornAt) };
    const program = startProgram(t, 'test/faults/step-worker.ts', { ...env, NODE_OPTIONS: PRELOAD });
    const ended = await program.ended;
    assert.equal(ended, killAt === 0 ? 0 : 'SIGKILL', program.readOutput());
    await check(await readKilledFolder(copy));
    return program.readOutput();
  };
  const { steps, slotWrites } = JSON.parse(await run(0, 0)) as { steps: number; slotWrites: number[] };
  assert.ok(steps >= 3 && slotWrites.length >= 2, `${steps} steps`);
  const first = 1 + Math.floor(Math.random() * Math.min(scale.killStride, steps));
  for (let step = first; step <= steps; step += scale.killStride) await run(step, 0);
  for (const [index, step] of slotWrites.entries())
    if (index % scale.killStride === 0)
      for (const tornAt of isLongRun ? [40, -30] : [40]) await run(step, tornAt);
}

async function readKilledFolder(folder: string): Promise<KilledFolder> {
  const path = join(folder, 'shred.keys');
  const file = existsSync(path) ? await readFile(path) : Buffer.alloc(0);
  const database = new DatabaseSync(join(folder, 'inquiry-office.db'));
  const columns = new Set(
    database
      .prepare('pragma table_info(cases)')
      .all()
      .map(({ name }) => name),
  );
  const place = columns.has('shred_id') ? 'key_slot, shred_id' : 'null as key_slot, null as shred_id';
  const rows = database.prepare(`select id, purging, ${place} from cases`).all() as unknown as StoredRow[];
  database.close();
  const readSlot = (number: number) => {
    const at = HEADER_BYTES + number * SLOT_BYTES;
    return decodeSlot(number, file.subarray(at, at + SLOT_BYTES));
  };
  return { folder, place: { env: { DATA_DIR: folder } }, rows, readSlot };
}

/** Live cases have their key, and a key that is gone belongs to a case that is marked or gone. */
function assertKeysFitRows({ rows, readSlot }: KilledFolder): void {
  for (const { id, purging, key_slot: number, shred_id: slotId } of rows) {
    assert.ok(number !== null, id);
    const slot = readSlot(number);
    assert.ok(slot.state !== 'unused' && slot.id === slotId, id);
    if (purging === 0) assert.equal(slot.state, 'taken', id);
  }
}

async function findKey(folder: string, { markers }: SeededCase): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder))
    if ((await readFile(join(folder, name))).includes(markers[1]!)) found.push(name);
  return found;
}

test('a case that is stored has its key, whenever the program that creates it is killed', async (t) => {
  const folder = await createTemporaryFolder(t);
  const store = await openTestStore(t, { env: { DATA_DIR: folder } });
  await seedCase(store);
  await store.close();
  await killAtEachStep(t, {
    work: 'create',
    folder,
    check: async (killed) => {
      assertKeysFitRows(killed);
      const again = await openTestStore(t, killed.place);
      const { record } = await seedCase(again);
      for (const row of [...killed.rows, record]) assert.ok(await again.shredKeys.read(row));
      await again.close();
    },
  });
});

test('a purge that is killed at any step leaves no freed slot of a live case, and is finished by the next', async (t) => {
  const folder = await createTemporaryFolder(t);
  const store = await openTestStore(t, { env: { DATA_DIR: folder } });
  const due = await seedCases(store, 2, { changes: { purge_at: 1 } });
  const others = await seedCases(store, 2);
  await store.close();
  await killAtEachStep(t, {
    work: 'purge',
    folder,
    check: async (killed) => {
      assertKeysFitRows(killed);
      const ids = new Set(killed.rows.map(({ id }) => id));
      for (const seeded of due) {
        const files = await findKey(killed.folder, seeded);
        assert.deepEqual(files, files.length === 0 ? [] : ['shred.keys'], 'no journal has the key');
        if (!ids.has(seeded.record.id)) assert.deepEqual(files, [], 'the key goes before the row');
      }
      const again = await openTestStore(t, killed.place);
      await createPurger({ ...createTrustedClock(), keyring: testKeyring, store: again }, silentLog).run();
      for (const { record } of others) assert.ok(await readCaseKey(again, record));
      assert.equal((await again.records.selectFrom('cases').select('id').execute()).length, others.length);
      await again.close();
      const after = await readKilledFolder(killed.folder);
      for (const seeded of due) {
        const { key_slot: number, shred_id: id } = seeded.record;
        assert.deepEqual(await findKey(killed.folder, seeded), []);
        const slot = after.readSlot(number ?? 0);
        assert.deepEqual([slot.state, 'id' in slot && slot.id], ['freed', id]);
      }
    },
  });
});

test('records and keys belong together, whenever the periodic write or the first start is killed', async (t) => {
  const folder = await createTemporaryFolder(t);
  const store = await openTestStore(t, { env: { DATA_DIR: folder } });
  const { record } = await seedCase(store);
  await store.records.deleteFrom('records_installation').execute();
  await store.close();
  await using file = await open(join(folder, 'shred.keys'), 'r+');
  await file.write(Buffer.alloc(HEADER_BYTES - 1024), 0, HEADER_BYTES - 1024, 1024);
  await killAtEachStep(t, {
    work: 'move',
    folder,
    check: async (killed) => {
      const again = await openTestStore(t, killed.place);
      assert.ok(await readCaseKey(again, record));
      await again.tryWrite();
      await again.close();
      await (await openTestStore(t, killed.place)).close();
    },
  });
});
