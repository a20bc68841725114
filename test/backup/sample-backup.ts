/** A small installation whose records and keys are backed up and restored within the test's own process. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type RestoreReport, type RestoreServices, restoreBackup } from '#backup/restore.ts';
import {
  type KeysBackup,
  type RecordsBackup,
  writeKeysBackup,
  writeRecordsBackup,
} from '#backup/write-backup.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { deriveRecipient, generateAgeIdentity } from '#seal/core/age.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import type { Store } from '#store/store.ts';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';
import { openTestStore, type TestDatabase, testKeyring } from '#test/store/engines.ts';

export const backupIdentity = await generateAgeIdentity();
export const backupRecipients = [await deriveRecipient(backupIdentity)];

export interface SampleOffice {
  readonly store: Store;
  readonly dataDir: string;
  readonly writeRecords: (folder: string) => Promise<RecordsBackup>;
  readonly writeKeys: (folder: string) => Promise<KeysBackup>;
}

export async function openSampleOffice(
  t: CleanupScope,
  {
    dataDir,
    clock = systemClock,
    database,
  }: { dataDir?: string; clock?: Clock; database?: TestDatabase } = {},
): Promise<SampleOffice> {
  const place = dataDir ?? (await createTemporaryFolder(t));
  const env = { ...database?.env, DATA_DIR: place };
  const store = await openTestStore(t, { env });
  const services = { clock, keyring: testKeyring, store };
  const toTarget = (folder: string) => ({
    folder,
    recipients: backupRecipients,
    watch: (plain: AsyncIterable<Uint8Array>) => plain,
  });
  return {
    store,
    dataDir: place,
    writeRecords: (folder) => writeRecordsBackup(services, readConfig(env), toTarget(folder)),
    writeKeys: (folder) => writeKeysBackup(services, toTarget(folder)),
  };
}

interface SampleRestore {
  readonly folder: string;
  readonly records?: string;
  readonly keys?: string;
  readonly dataDir: string;
  readonly database?: TestDatabase;
  readonly keyring?: Keyring;
  readonly clock?: Clock;
  readonly key?: string;
  readonly approveClock?: RestoreServices['approveClock'];
}

async function refuseClock(): Promise<never> {
  throw new Error('asked about the clock');
}

export async function restoreSample(options: SampleRestore): Promise<RestoreReport> {
  const { folder, records = null, keys = null, dataDir, database, keyring = testKeyring } = options;
  const { clock = systemClock, key = backupIdentity, approveClock = refuseClock } = options;
  const reader = { keyring, identity: key, watch: (_: string, sealed: ReadableStream<Uint8Array>) => sealed };
  return await restoreBackup(
    {
      config: readConfig({ ...database?.env, DATA_DIR: dataDir }),
      clock,
      reader,
      approveClock,
    },
    { folder, records, keys },
  );
}

/** Whether a restore has left nothing: neither files in place nor a sign that it began. */
export async function isUntouched(dataDir: string): Promise<boolean> {
  if (!existsSync(dataDir)) return true;
  return (await readdir(dataDir)).length === 0;
}

export function toFile(folder: string, { name }: { readonly name: string }): string {
  return join(folder, name);
}
