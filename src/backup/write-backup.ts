/** Writes a backup while the service runs: first the records of one moment, then the shred keys. */
import type { Config } from '#platform/config.ts';
import type { AgeRecipient } from '#seal/age.ts';
import type { Services } from '#services.ts';
import { listFormerPairings } from '#store/former-pairings.ts';
import { recordBackup } from '#store/last-backup.ts';
import { openRecordsSnapshot, type SnapshotTable } from '#store/records-snapshot.ts';
import type { Pairing, ShredKeyCopy } from '#store/shred-keys.ts';
import {
  type BackupFile,
  formatBackupName,
  removeOldKeysFiles,
  requireOwnKeysFiles,
  writeBackupFile,
} from './backup-files.ts';
import { encodeBackup } from './backup-stream.ts';

type BackupServices = Pick<Services, 'clock' | 'keyring' | 'store'>;

export interface BackupTarget {
  readonly folder: string;
  readonly recipients: readonly AgeRecipient[];
  /** Passes the plain bytes through; may show how far it is. */
  readonly watch: (plain: AsyncIterable<Uint8Array>, bytes: number) => AsyncIterable<Uint8Array>;
}

/** The columns of a copied shred key. On PostgreSQL the id is that of the case, and a destroyed key leaves no row. */
const KEY_COLUMNS = ['slot', 'id', 'freed_on', 'key'] as const;
const KEYS_TABLE = 'shred_keys';

export interface RecordsBackup extends BackupFile {
  readonly cases: number;
}

/**
 * The pairing is moved on after the snapshot is taken, and again in the transaction that copies the keys; each file has
 * the counter of its own move. So keys with a higher one have the key of every case of these records, whatever the clock
 * says: a restore could take a key that was not copied yet for a destroyed one.
 */
export async function writeRecordsBackup(
  { clock, keyring, store }: BackupServices,
  config: Pick<Config, 'dataDir' | 'store'>,
  { folder, recipients, watch }: BackupTarget,
): Promise<RecordsBackup> {
  await requireOwnKeysFiles(folder, await listOwnPairings(store));
  const cutAt = clock.now();
  const snapshot = await openRecordsSnapshot(config);
  try {
    const { engine, steps, bytes } = snapshot;
    const counted = { cases: 0 };
    const header = { part: 'records', engine, steps, former: [], cutAt } as const;
    const pairing = await store.movePairing(async (_, moved) => moved);
    const plain = encodeBackup(keyring, { ...header, pairing }, countCases(snapshot.tables(), counted));
    const name = formatBackupName('records', cutAt, pairing);
    const file = await writeBackupFile({ folder, name, recipients, plain: watch(plain, bytes) });
    await store.transaction((records) => recordBackup(records, 'records', cutAt));
    return { ...file, cases: counted.cases };
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
  const pairings = await listOwnPairings(store);
  await requireOwnKeysFiles(folder, pairings);
  // In a transaction: nobody changes a key meanwhile.
  const copied = await store.movePairing(async (records, moved) => ({
    cutAt: clock.now(),
    pairing: moved,
    former: await listFormerPairings(records),
    copies: await store.shredKeys.copy(records),
  }));
  const { cutAt, pairing, former, copies } = copied;
  const keys = [...copies];
  const header = { part: 'keys', engine: store.engine.name, steps: [], pairing, former, cutAt } as const;
  const plain = encodeBackup(keyring, header, listKeyTables(keys));
  const name = formatBackupName('keys', cutAt, pairing);
  const file = await writeBackupFile({ folder, name, recipients, plain });
  const kept = await removeOldKeysFiles(folder, pairings, clock.now());
  await store.transaction((records) => recordBackup(records, 'keys', cutAt));
  return { ...file, keys: keys.filter(({ key }) => key !== null).length, kept };
}

/** Of this installation: its own, and those that it had before a restore. */
async function listOwnPairings(store: Services['store']): Promise<Pairing[]> {
  return await store.transaction(async (records) => [
    requireKnownPairing(await store.shredKeys.readPairing(records)),
    ...(await listFormerPairings(records)),
  ]);
}

async function* listKeyTables(keys: readonly ShredKeyCopy[]): AsyncGenerator<SnapshotTable> {
  const rows = keys.map(({ slot, id, freedOn, key }) => [slot, id, freedOn, key]);
  yield { name: KEYS_TABLE, columns: KEY_COLUMNS, rows: ReadableStream.from(rows) };
}

async function* countCases(
  tables: AsyncIterable<SnapshotTable>,
  counted: { cases: number },
): AsyncGenerator<SnapshotTable> {
  for await (const table of tables) {
    if (table.name !== 'cases') yield table;
    else yield { ...table, rows: countRows(table.rows, () => (counted.cases += 1)) };
  }
}

async function* countRows<Row>(rows: AsyncIterable<Row>, count: () => void): AsyncGenerator<Row> {
  for await (const row of rows) {
    count();
    yield row;
  }
}

function requireKnownPairing(pairing: Pairing | null): Pairing {
  if (pairing) return pairing;
  throw new Error('the records are not paired');
}
