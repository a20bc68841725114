/** The write-ahead log: no commit writes much at a time, and a long log is emptied in a separate thread. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import test from 'node:test';
import { generateId } from '#platform/text/ids.ts';
import { insertContactMessage } from '#store/cases/contact-messages.ts';
import { openSqliteSnapshot } from '#store/engine/sqlite-snapshot.ts';
import type { Store } from '#store/store.ts';
import { createTemporaryFolder } from '#test/cleanup.ts';
import { openTestStore } from './engines.ts';

const MIB = 1024 * 1024;
const MARKER = Buffer.from('something that was deleted');

test('a commit that has been given a mebibyte ends, and the others have their own', async (t) => {
  const { store } = await openWatchedStore(t);
  // Stops the clock, so that no group seems to take long on a busy machine.
  t.mock.method(performance, 'now', () => 0);
  const { mock: statements } = t.mock.method(DatabaseSync.prototype, 'exec');
  const countCommits = () => statements.calls.filter(({ arguments: [sql] }) => sql === 'commit').length;
  const commits = await Promise.all(
    Array.from({ length: 10 }, () =>
      store.transaction(async (records) => {
        await insertContactMessage(records, buildMessage(Buffer.alloc(MIB / 4)));
        return countCommits();
      }),
    ),
  );
  assert.deepEqual(commits, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
});

test('a long log is emptied elsewhere, while this thread goes on', async (t) => {
  const { store, dataDir, measureLog, listCheckpoints } = await openWatchedStore(t);
  // While another connection reads, nothing is moved out of the log.
  const reader = new DatabaseSync(join(dataDir, 'inquiry-office.db'));
  reader.exec('begin; select count(*) from cases');
  await insertMessage(store, Buffer.concat([MARKER, Buffer.alloc(4 * MIB, 1)]));
  await store.records.deleteFrom('contact_messages').execute();
  reader.close();
  assert.ok(measureLog() > 4 * MIB);
  assert.ok(isInFiles(dataDir));
  let turns = 0;
  const ticking = setInterval(() => (turns += 1), 1);
  // Data that is written meanwhile must not be lost.
  await Promise.all([store.erase(), insertMessage(store, Buffer.from('another'))]);
  clearInterval(ticking);
  assert.ok(turns > 0);
  assert.deepEqual(listCheckpoints(), []);
  assert.equal(isInFiles(dataDir), false);
  assert.equal((await store.records.selectFrom('contact_messages').select('id').execute()).length, 1);
});

test('a log that grew during a backup is moved by the backup, before the service writes again', async (t) => {
  const { store, dataDir } = await openWatchedStore(t);
  const snapshot = openSqliteSnapshot(dataDir);
  await insertMessage(store, Buffer.alloc(8 * MIB, 1));
  await snapshot.close();
  assert.ok(statSync(join(dataDir, 'inquiry-office.db')).size > 8 * MIB);
});

async function openWatchedStore(t: test.TestContext) {
  const dataDir = await createTemporaryFolder(t);
  const store = await openTestStore(t, { env: { DATA_DIR: dataDir } });
  await store.erase();
  const { mock: readings } = t.mock.method(StatementSync.prototype, 'all');
  return {
    store,
    dataDir,
    measureLog: () => statSync(join(dataDir, 'inquiry-office.db-wal')).size,
    listCheckpoints: () =>
      readings.calls.filter(({ this: by }) => (by as StatementSync).sourceSQL.includes('wal_checkpoint')),
  };
}

function isInFiles(dataDir: string): boolean {
  return ['inquiry-office.db', 'inquiry-office.db-wal'].some((name) =>
    readFileSync(join(dataDir, name)).includes(MARKER),
  );
}

async function insertMessage(store: Store, sealed: Uint8Array): Promise<void> {
  await store.transaction((records) => insertContactMessage(records, buildMessage(sealed)));
}

function buildMessage(sealed: Uint8Array) {
  const times = { received_at: 1, done_at: null, purge_at: 2 };
  return { id: generateId(), sealed, sealed_by: 'browser', ...times } as const;
}
