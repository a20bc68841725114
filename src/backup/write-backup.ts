/** Writes a backup while the service runs: first a snapshot of the records, then the shred keys. */
import type { Config } from '#platform/config/config.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { AgeRecipient } from '#seal/core/age.ts';
import type { Services } from '#services.ts';
import { listMarkedCases } from '#store/cases/cases.ts';
import { openRecordsSnapshot, type SnapshotTable } from '#store/engine/records-snapshot.ts';
import { listPreviousInstallations } from '#store/keys/installation.ts';
import type { Installation } from '#store/keys/shred-keys.ts';
import { recordBackup } from '#store/last-backup.ts';
import {
  type BackupFile,
  formatBackupName,
  removeOldKeysFiles,
  requireOwnKeysFiles,
  writeBackupFile,
} from './backup-files.ts';
import { decodeBackup, encodeBackup, type HeaderFacts } from './backup-stream.ts';
import { listKeyTables } from './copied-keys.ts';
import { toHeaderIds } from './frame-schemas.ts';
import { BackupFault } from './frames.ts';
import { createRowDigests, hashItems, hashTables } from './row-digests.ts';

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
  const copied = await store.advanceGeneration(async (records, moved) => ({
    cutAt: clock.now(),
    ids: toHeaderIds(moved, await listPreviousInstallations(records)),
    copies: await store.shredKeys.copy(records),
  }));
  const { cutAt, ids, copies } = copied;
  const keys = [...copies];
  const { file } = await writePart({
    keyring,
    facts: { part: 'keys', engine: store.engine.name, steps: [], ...ids, cutAt },
    tables: listKeyTables(keys),
    target: { folder, recipients },
    watch: (plain) => plain,
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
  return await store.transaction(async (records) => [
    requireKnownInstallation(await store.shredKeys.readInstallation(records)),
    ...(await listPreviousInstallations(records)),
  ]);
}

interface WrittenPart {
  readonly keyring: Services['keyring'];
  readonly facts: HeaderFacts;
  readonly tables: AsyncIterable<SnapshotTable>;
  readonly target: Pick<BackupTarget, 'folder' | 'recipients'>;
  readonly watch: (plain: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
}

/** The file gets its name only after it has been read back from the disk, row by row. */
async function writePart({ keyring, facts, tables, target, watch }: WrittenPart) {
  const digests = createRowDigests();
  const plain = watch(encodeBackup(keyring, facts, hashTables(tables, digests)));
  const name = formatBackupName(facts.part, facts.cutAt, facts.pairing);
  const check = async (written: AsyncIterable<Uint8Array>) => {
    const { items } = await decodeBackup(keyring, written);
    const read = (await hashItems(items)).list();
    const [lost] = digests.list().filter((line, index) => line !== read[index]);
    if (lost !== undefined) throw new BackupFault(`differs in the table ${lost.split(' ')[0]}`);
  };
  return { file: await writeBackupFile({ ...target, name, plain, check }), digests };
}

function requireKnownInstallation(installation: Installation | null): Installation {
  if (installation) return installation;
  throw new Error('the records have no installation id');
}
