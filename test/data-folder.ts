/** Data folders for services under test, with a certificate and sealing keys that a whole run shares. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadSealingKeys } from '#cases/sealing/sealing-keys.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig } from '#platform/config/config.ts';
import { loadCertificate } from '#platform/http/certificate.ts';
import { type CleanupScope, createTemporaryFolder } from '#test/cleanup.ts';

/** The folder in which the processes of a run share the keys. */
export const KEYS_FOLDER_VARIABLE = 'TEST_KEYS_FOLDER';

const NAMES = [
  'tls/localhost.pem',
  'tls/localhost.crt',
  'keys/desk.key',
  'keys/desk.pub',
  'keys/recovery.key',
  'keys/recovery.pub',
];

type Texts = ReadonlyMap<string, string>;

let provided: Promise<Texts> | undefined;

/** Creates a data folder as after a first start; in an empty one the service would generate keys, which is slow. */
export async function createDataFolder(t: CleanupScope): Promise<string> {
  const folder = await createTemporaryFolder(t);
  await copyKeys(folder);
  return folder;
}

/** Returns the public keys of such a folder as settings, which an instance on PostgreSQL needs. */
export async function readRecipientSettings(dataDir: string): Promise<Record<string, string>> {
  const read = async (name: string) => (await readFile(join(dataDir, 'keys', name), 'utf8')).trim();
  return { DESK_RECIPIENTS: await read('desk.pub'), RECOVERY_RECIPIENT: await read('recovery.pub') };
}

async function copyKeys(dataDir: string): Promise<void> {
  provided ??= readOrMakeKeys();
  for (const [name, text] of await provided) {
    const path = join(dataDir, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, text, { mode: 0o600 });
  }
}

async function readOrMakeKeys(): Promise<Texts> {
  const shared = process.env[KEYS_FOLDER_VARIABLE];
  if (shared) return await makeKeys(shared);
  const folder = await mkdtemp(join(tmpdir(), 'inquiry-office-keys-'));
  try {
    return await makeKeys(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** If several processes generate keys at the same time, the first wins, and all read the same keys. */
async function makeKeys(dataDir: string): Promise<Texts> {
  const config = readConfig({ DATA_DIR: dataDir });
  await Promise.all([loadCertificate(config, systemClock), loadSealingKeys(config)]);
  const read = async (name: string) => [name, await readFile(join(dataDir, name), 'utf8')] as const;
  return new Map(await Promise.all(NAMES.map(read)));
}
