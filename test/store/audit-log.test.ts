/** The audit log: a chain without gaps that reveals every change, and contains nothing of a purged case. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import test, { after } from 'node:test';
import { promisify } from 'node:util';
import { recordCaseReading } from '#cases/desk/audited-change.ts';
import { purgeCaseNow } from '#cases/ending/purge.ts';
import { systemClock as clock } from '#platform/clock.ts';
import { FIRST_AUDIT_HEAD } from '#seal/core/audit-chain.ts';
import {
  type AuditedAct,
  appendAuditEntry,
  chainAuditEntries,
  clearAuditEntries,
  findAuditHead,
  findLastAuditEntry,
  listAuditChain,
  listAuditEntries,
} from '#store/audit-log.ts';
import { seedCase } from '#test/cases/seeded-case.ts';
import { withReverseCleanup } from '#test/cleanup.ts';
import { chainAppended, checkAuditChain } from '#test/store/audit-check.ts';
import { openPostgresEngine, openTestStore, sqliteUnderTest, testKeyring } from './engines.ts';

const cleanUp = withReverseCleanup({ after });
const run = promisify(execFile);
const ADA = 'A'.repeat(43);

for (const engine of [sqliteUnderTest, await openPostgresEngine(cleanUp)])
  test(`the audit log on ${engine.name}`, async (t) => {
    const { env } = await engine.createDatabase(cleanUp);
    const store = await openTestStore(cleanUp, { env });
    const { records } = store;
    const append = async (act: AuditedAct) => {
      await store.transaction((locked) => appendAuditEntry(locked, act, clock.now()));
      await chainAuditEntries(store);
    };
    const findFault = async (seen = FIRST_AUDIT_HEAD) => (await checkAuditChain(records, seen)).fault;
    /** Tries a change and reverts it. */
    const tryChange = async (
      change: (locked: typeof records) => Promise<unknown>,
      seen = FIRST_AUDIT_HEAD,
    ) => {
      let fault: string | undefined;
      const undone = new Error('undone');
      await assert.rejects(
        store.transaction(async (locked) => {
          await change(locked);
          fault = (await checkAuditChain(locked, seen)).fault?.kind;
          throw undone;
        }),
        undone,
      );
      return fault ?? null;
    };

    await t.test('begins empty, and numbers concurrent entries without a gap', async () => {
      assert.deepEqual(await findAuditHead(records), FIRST_AUDIT_HEAD);
      assert.equal(await findFault(), null);
      await Promise.all(
        Array.from({ length: 30 }, (_none, index) =>
          append({ by: ADA, act: 'read', subject: { kind: 'case', id: `case ${index % 3}` } }),
        ),
      );
      const chain = await listAuditChain(records, { after: 0, limit: 100 });
      assert.deepEqual(
        chain.map(({ number }) => number),
        Array.from({ length: 30 }, (_none, index) => index + 1),
      );
      assert.equal((await checkAuditChain(records, null)).head.number, 30);
      assert.equal(await findFault(), null);
      const mine = await listAuditEntries(records, { subjectId: 'case 1', limit: 4 });
      assert.equal(mine.length, 4);
      assert.ok(mine.every(({ entry }) => JSON.parse(entry ?? '').case === 'case 1'));
    });

    await t.test('leaves nothing of an act that was rolled back', async () => {
      await tryChange((locked) =>
        appendAuditEntry(locked, { by: null, act: 'take', subject: { kind: 'case', id: 'x' } }, 1),
      );
      assert.equal((await findAuditHead(records)).number, 30);
    });

    await t.test('tells what was changed, moved, taken out, cut off or added', async () => {
      const selectEntry = (locked: typeof records, number: number) =>
        locked.updateTable('audit_entries').where('number', '=', number);
      const drop = (locked: typeof records, number: number) =>
        locked.deleteFrom('audit_entries').where('number', '=', number).execute();
      const set = (number: number, change: Record<string, string | number | null>) =>
        tryChange((locked) => selectEntry(locked, number).set(change).execute());
      const { entry = null, salt = null } = (await listAuditChain(records, { after: 4, limit: 1 }))[0] ?? {};
      assert.equal(await set(5, { entry: entry?.replace('read', 'take') ?? null }), 'entry');
      assert.equal(await set(5, { salt: 'x'.repeat(43) }), 'entry');
      assert.equal(await set(5, { subject_id: 'case 9' }), 'entry', 'a purge would not find it');
      assert.equal(await set(5, { entry: null }), 'entry');
      assert.equal(await set(5, { entry: null, salt: null }), 'entry', 'it still names a case');
      assert.equal(await set(5, { entry_hash: 'x'.repeat(43) }), 'entry');
      assert.equal(await set(5, { hash: salt }), 'chain');
      assert.equal(await set(5, { number: 500 }), 'gap');
      assert.equal(await tryChange((locked) => drop(locked, 5)), 'gap');
      assert.equal(await tryChange((locked) => drop(locked, 30)), 'head');
      assert.equal(
        await tryChange((locked) => locked.updateTable('audit_head').set({ number: 29 }).execute()),
        'head',
      );
      assert.equal(
        await tryChange(async (locked) => {
          await selectEntry(locked, 5).set({ number: 100 }).execute();
          await selectEntry(locked, 6).set({ number: 5 }).execute();
          await selectEntry(locked, 100).set({ number: 6 }).execute();
        }),
        'chain',
      );
      assert.equal(await findFault(), null);
    });

    await t.test('tells a reader who remembers a head of a log that is shorter, or rewritten', async () => {
      const seen = await findAuditHead(records);
      const rewriteAll = async (locked: typeof records, entries: number) => {
        await locked.deleteFrom('audit_entries').execute();
        await locked.deleteFrom('audit_head').execute();
        for (let left = entries; left > 0; left -= 1)
          await appendAuditEntry(locked, { by: ADA, act: 'read' }, clock.now());
        await chainAppended(locked);
      };
      assert.equal(await tryChange((locked) => rewriteAll(locked, 10)), null, 'whole in itself');
      assert.equal(await tryChange((locked) => rewriteAll(locked, 10), seen), 'shorter');
      assert.equal(await tryChange((locked) => rewriteAll(locked, 40), seen), 'rewritten');
      await append({ by: null, act: 'reseal' });
      assert.equal(await findFault(seen), null, 'it goes on from there');
    });

    await t.test('empties an entry that is not in the chain yet, which then holds', async () => {
      const seen = await findAuditHead(records);
      const gone = { by: ADA, act: 'read', subject: { kind: 'contact', id: 'gone' } } as const;
      await store.transaction((locked) => appendAuditEntry(locked, gone, clock.now()));
      assert.ok((await findLastAuditEntry(records, 'gone'))?.includes('read'));
      await store.transaction((locked) => clearAuditEntries(locked, ['gone']));
      assert.equal(await findLastAuditEntry(records, 'gone'), null);
      const { fault, head } = await checkAuditChain(records, seen);
      assert.deepEqual([fault, head.number], [null, seen.number + 1]);
    });

    // SQLite has one writer at a time.
    if (engine.name === 'postgres')
      await t.test('lets no act wait for that of another case', async () => {
        let tries = 0;
        await store.transaction(async (locked) => {
          tries += 1;
          await appendAuditEntry(locked, { by: ADA, act: 'take', subject: { kind: 'case', id: 'one' } }, 1);
          await append({ by: ADA, act: 'take', subject: { kind: 'case', id: 'two' } });
        });
        assert.equal(tries, 1);
        assert.equal(await findFault(), null);
      });

    await t.test('keeps of a purged case who of the desk purged one, and still holds', async () => {
      const { record } = await seedCase(store);
      const services = { clock, store, keyring: testKeyring };
      const seen = await findAuditHead(records);
      await append({ by: ADA, act: 'read', subject: { kind: 'case', id: record.id } });
      await append({ by: ADA, act: 'read', subject: { kind: 'case', id: 'another' } });
      await append({ by: ADA, act: 'deliver', subject: { kind: 'case', id: record.id } });
      const before = await listAuditEntries(records, { subjectId: record.id, limit: 10 });
      assert.equal(before.length, 2);
      await purgeCaseNow(services, record.id, 'desk', ADA);
      assert.deepEqual(await listAuditEntries(records, { subjectId: record.id, limit: 10 }), []);
      const rows = JSON.stringify(await listAuditEntries(records, { limit: 100 }));
      for (const trace of [record.id, ...before.map(({ salt }) => salt ?? record.id)])
        assert.ok(!rows.includes(trace));
      const { fault, cleared, head } = await checkAuditChain(records, seen);
      assert.deepEqual([fault, cleared, head.number], [null, 3, seen.number + 4]);
      // Ada opened it while it was being purged.
      await assert.rejects(recordCaseReading(services, record.id, ADA), { code: 'case_unknown' });
      assert.deepEqual(await listAuditEntries(records, { subjectId: record.id, limit: 10 }), []);
      if (engine.name === 'sqlite') {
        await store.erase();
        const folder = env['DATA_DIR'] ?? '';
        // Reads the files in another process, because closing them here would release SQLite's locks.
        const { stdout } = await run(
          'cat',
          [`${folder}/inquiry-office.db`, `${folder}/inquiry-office.db-wal`],
          { encoding: 'buffer', maxBuffer: 2 ** 28 },
        );
        for (const trace of [record.id, ...before.map(({ salt }) => salt ?? record.id)])
          assert.ok(!stdout.includes(trace), 'not in the files either');
      }
    });
  });
