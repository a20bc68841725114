/** Writes a backup while the service runs: first a snapshot of the records, then the shred keys. */
import { createHash, type Hash } from 'node:crypto';
import type { Config } from '#platform/config/config.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { AgeRecipient } from '#seal/core/age.ts';
import type { Services } from '#services.ts';
import { listMarkedCases } from '#store/cases/cases.ts';
import { openRecordsSnapshot, type SnapshotTable } from '#store/engine/records-snapshot.ts';
import { listPreviousInstallations } from '#store/keys/installation.ts';
import type { Installation } from '#store/keys/shred-keys.ts';
import { recordBackup } from '#store/last-backup.ts';
import type { CopiedItem } from '#store/restore/insert-items.ts';
import type { RecordValue } from '#store/schema/typed-columns.ts';
import {
  type BackupFile,
  formatBackupName,
  removeOldKeysFiles,
  requireOwnKeysFiles,
  writeBackupFile,
} from './backup-files.ts';
import { BackupFault, decodeBackup, encodeBackup, type HeaderFacts, toHeaderIds } from './backup-stream.ts';
import { listKeyTables } from './copied-keys.ts';

/** Far more cases than are ever purged at the same time, but few enough for one statement. */
export const MAX_MARKED_CASES = 10_000;

type BackupServices = Pick<Services, 'clock' | 'keyring' | 'store'>;

export interface BackupTarget {
  readonly folder: string;
  readonly recipients: readonly AgeRecipient[];
  /** Passes the plain bytes through; may show the progress. */
  readonly watch: (plain: AsyncIterable<Uint8Array>, bytes: number) => AsyncIterable<Uint8Array>;
}

export interface RecordsBackup extends BackupFile {
  readonly cases: number;
}

/**
 * The generation advances after the snapshot is taken, and again in the transaction that copies the keys; each file has
 * its own. Keys of a later generation therefore include the key of every case in these records, whatever the clock
 * says. Otherwise a restore could mistake a key that had not been copied yet for a destroyed one.
 */
export async function writeRecordsBackup(
  { clock, keyring, store }: BackupServices,
  config: Pick<Config, 'dataDir' | 'store'>,
  { folder, recipients, watch }: BackupTarget,
): Promise<RecordsBackup> {
  await requireOwnKeysFiles(folder, await listOwnInstallations(store));
  const cutAt = clock.now();
  const snapshot = await openRecordsSnapshot(config);
  try {
    const { engine, steps, bytes } = snapshot;
    const installation = await store.advanceGeneration(async (_, moved) => moved);
    const { file, digests } = await writePart({
      keyring,
      facts: { part: 'records', engine, steps: [...steps], ...toHeaderIds(installation), cutAt },
      tables: snapshot.tables(),
      target: { folder, recipients },
      watch: (plain) => watch(plain, bytes),
    });
    await store.transaction((records) => recordBackup(records, 'records', cutAt));
    return { ...file, cases: digests.countRows('cases') };
  } finally {
    await snapshot.close();
  }
}

export interface KeysBackup extends BackupFile {
  readonly keys: number;
  /** Copies of the keys in the folder, this one included. */
  readonly kept: number;
}

export async function writeKeysBackup(
  { clock, keyring, store }: BackupServices,
  { folder, recipients }: BackupTarget,
): Promise<KeysBackup> {
  const installations = await listOwnInstallations(store);
  await requireOwnKeysFiles(folder, installations);
  await finishDestruction(store);
  // In a transaction, so that no other process changes a key meanwhile.
  const { cutAt, ids, copies } = await store.advanceGeneration(async (records, moved) => ({
    cutAt: clock.now(),
    ids: toHeaderIds(moved, await listPreviousInstallations(records)),
    copies: await store.shredKeys.copy(records),
  }));
  // Verified after the transaction, which holds up the writes of a running service.
  const keys = [...copies];
  const { file } = await writePart({
    keyring,
    facts: { part: 'keys', engine: store.engine.name, steps: [], ...ids, cutAt },
    tables: listKeyTables(keys),
    target: { folder, recipients },
  });
  const kept = await removeOldKeysFiles(folder, installations, clock.now());
  await store.transaction((records) => recordBackup(records, 'keys', cutAt));
  return { ...file, keys: keys.filter(({ key }) => key !== null).length, kept };
}

/**
 * Copying the key of a case whose purge was interrupted by a power failure would let older records restore the case.
 * On SQLite, the transactions of a process share a commit, so this could see a mark that is then rolled back: run it
 * in a separate process, such as that of the command.
 */
async function finishDestruction(store: Services['store']): Promise<void> {
  await store.transaction(async (records) => {
    const marked = await listMarkedCases(records, MAX_MARKED_CASES + 1);
    if (marked.length > MAX_MARKED_CASES)
      throw new ProgramError(
        `more than ${MAX_MARKED_CASES} cases are still being purged, so no keys were copied: start the service, wait a few minutes and try again`,
        EXIT_CODES.unavailable,
      );
    await store.shredKeys.destroy(
      records,
      marked.map(({ id }) => id),
    );
  });
}

/** Lists the current installation and those before each restore. */
async function listOwnInstallations(store: Services['store']): Promise<Installation[]> {
  return await store.transaction(async (records) => {
    const current = await store.shredKeys.readInstallation(records);
    if (!current) throw new Error('the records have no installation id');
    return [current, ...(await listPreviousInstallations(records))];
  });
}

interface WrittenPart {
  readonly keyring: Services['keyring'];
  readonly facts: HeaderFacts;
  readonly tables: AsyncIterable<SnapshotTable>;
  readonly target: Pick<BackupTarget, 'folder' | 'recipients'>;
  readonly watch?: (plain: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
}

/** The file gets its name only after it has been read back from the disk, row by row. */
async function writePart({ keyring, facts, tables, target, watch = (plain) => plain }: WrittenPart) {
  const digests = createRowDigests();
  const plain = watch(encodeBackup(keyring, facts, tables, digests.add));
  const name = formatBackupName(facts.part, facts.cutAt, facts.pairing);
  const check = async (written: AsyncIterable<Uint8Array>) => {
    const read = createRowDigests();
    for await (const item of (await decodeBackup(keyring, written)).items) read.add(item);
    const lines = read.list();
    const [lost] = digests.list().filter((line, index) => line !== lines[index]);
    if (lost !== undefined) throw new BackupFault(`differs in the table ${lost.split(' ')[0]}`);
  };
  return { file: await writeBackupFile({ ...target, name, plain, check }), digests };
}

/** Digests of the rows of each table, to compare what is read back from a file with what should be in it. */
export function createRowDigests() {
  const tables = new Map<string, { rows: number; readonly hash: Hash }>();
  let last: { rows: number; readonly hash: Hash } | undefined;
  return {
    add: (item: CopiedItem) => {
      if ('table' in item) {
        last = { rows: 0, hash: createHash('sha256').update(item.columns.join()) };
        tables.set(item.table, last);
        return;
      }
      if (!last) throw new Error('a row comes before its table');
      last.rows += 1;
      for (const value of item.row) updateHash(last.hash, value);
    },
    countRows: (table: string) => tables.get(table)?.rows ?? 0,
    /** One line for each table, in their order. */
    list: () =>
      [...tables].map(([name, { rows, hash }]) => `${name} ${rows} ${hash.copy().digest('base64url')}`),
  };
}

/** Hashes the value with its type and any length, independently of its encoding in the file. */
function updateHash(hash: Hash, value: RecordValue): void {
  if (value === null || typeof value === 'number') {
    hash.update(`${value};`);
    return;
  }
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  hash.update(`${typeof value} ${bytes.length}:`).update(bytes);
}
