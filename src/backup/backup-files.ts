/** The files of a backup folder: their names, how one is written so that it is whole, and which of them go. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { KEPT_KEYS_FILES } from '#cases/retention.ts';
import { syncFolder } from '#platform/atomic-file.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { formatFileFault, readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, StartError } from '#platform/exit-codes.ts';
import { type AgeRecipient, countRecipients, sealStream } from '#seal/age.ts';
import type { Pairing } from '#store/shred-keys.ts';
import type { BackupHeader } from './backup-stream.ts';

type BackupPart = BackupHeader['part'];

/** The time, and by which pairing the file was written. */
const NAMES: Readonly<Record<BackupPart, RegExp>> = {
  records: /^records-\d{8}T\d{6}\.\d{3}Z-([0-9a-f]{12})\.age$/,
  keys: /^keys-\d{8}T\d{6}\.\d{3}Z-([0-9a-f]{12})\.age$/,
};
const PAIRING_TAG_LENGTH = 12;
const DRAFT = /^\.(?:records|keys)-[\w.-]+\.draft$/;
/** What was not written to for so long was left by a program that was killed. */
const MAX_DRAFT_REST_MS = HOUR_MS;
/** A file with a later time than this was written under a wrong clock. */
const CLOCK_TOLERANCE_MS = MINUTE_MS;
const PRIVATE = 0o600;

export interface BackupFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the sealed file, in hex. */
  readonly hash: string;
}

export function formatBackupName(part: BackupPart, at: number, { id }: Pick<Pairing, 'id'>): string {
  return `${part}-${formatNameTime(at)}-${toPairingTag(id)}.age`;
}

function formatNameTime(at: number): string {
  return new Date(at).toISOString().replace(/[-:]/g, '');
}

function toPairingTag(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, PAIRING_TAG_LENGTH);
}

/** Newest first. */
export async function listBackupNames(folder: string, part: BackupPart): Promise<string[]> {
  const names = await withFileFault(folder, EXIT_CODES.noInput, () => readdir(folder));
  return names
    .filter((name) => NAMES[part].test(name))
    .toSorted()
    .toReversed();
}

interface SealedOutput {
  readonly folder: string;
  readonly name: string;
  readonly recipients: readonly AgeRecipient[];
  readonly plain: AsyncIterable<Uint8Array>;
}

/** Written under another name, synced, renamed, and read back. */
export async function writeBackupFile({
  folder,
  name,
  recipients,
  plain,
}: SealedOutput): Promise<BackupFile> {
  const path = join(folder, name);
  const draft = join(folder, `.${name}.${randomBytes(6).toString('hex')}.draft`);
  const file = await withFileFault(folder, EXIT_CODES.cannotCreate, () => open(draft, 'wx', PRIVATE));
  try {
    const written = await writeSealed(path, file, await sealStream(ReadableStream.from(plain), recipients));
    await withFileFault(path, EXIT_CODES.cannotCreate, async () => {
      await rename(draft, path);
      await syncFolder(folder);
    });
    await requireReadBack(path, written.hash, recipients.length);
    return { path, name, ...written };
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeSealed(
  path: string,
  file: FileHandle,
  sealed: AsyncIterable<Uint8Array>,
): Promise<Pick<BackupFile, 'bytes' | 'hash'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of sealed) {
      hash.update(chunk);
      bytes += chunk.length;
      await withFileFault(path, EXIT_CODES.cannotCreate, () => file.writeFile(chunk));
    }
    await withFileFault(path, EXIT_CODES.cannotCreate, () => file.sync());
  } finally {
    await file.close();
  }
  return { bytes, hash: hash.digest('hex') };
}

/** Without a private key no more can be checked than that the bytes are those written, for that many recipients. */
async function requireReadBack(path: string, expected: string, recipients: number): Promise<void> {
  const hash = createHash('sha256');
  let first: Uint8Array | null = null;
  for await (const chunk of createReadStream(path)) {
    first ??= chunk as Uint8Array;
    hash.update(chunk as Uint8Array);
  }
  if (hash.digest('hex') === expected && first && countRecipients(first) === recipients) return;
  throw new StartError(`${path}: reads back differently from what was written`, EXIT_CODES.inputOutput);
}

/** A new installation in a data folder that is not mounted would push the good keys out of the folder. */
export async function requireOwnKeysFiles(
  folder: string,
  pairings: readonly Pick<Pairing, 'id'>[],
): Promise<void> {
  await requireBackupFolder(folder);
  const names = await listBackupNames(folder, 'keys');
  const stranger = names.find((name) => !isWrittenBy(name, pairings));
  if (stranger === undefined) return;
  throw new StartError(
    `${join(folder, stranger)}: keys of another installation, so nothing was backed up; is DATA_DIR the right one, and mounted? A second installation needs a folder of its own`,
    EXIT_CODES.config,
  );
}

function isWrittenBy(name: string, pairings: readonly Pick<Pairing, 'id'>[]): boolean {
  const tag = NAMES.keys.exec(name)?.[1];
  return pairings.some(({ id }) => toPairingTag(id) === tag);
}

/**
 * Removes all but the newest copies of the keys of these pairings, and what killed backups have left; returns how many
 * copies stay.
 */
export async function removeOldKeysFiles(
  folder: string,
  pairings: readonly Pick<Pairing, 'id'>[],
  now: number,
): Promise<number> {
  const names = (await listBackupNames(folder, 'keys')).filter((name) => isWrittenBy(name, pairings));
  const latest = `keys-${formatNameTime(now + CLOCK_TOLERANCE_MS)}`;
  const kept = new Set(names.filter((name) => name <= latest).slice(0, KEPT_KEYS_FILES));
  await withFileFault(folder, EXIT_CODES.cannotCreate, async () => {
    for (const name of names) if (!kept.has(name)) await rm(join(folder, name), { force: true });
    await removeDrafts(folder, now);
    await syncFolder(folder);
  });
  return kept.size;
}

async function removeDrafts(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!DRAFT.test(name)) continue;
    const stats = await stat(join(folder, name)).catch(() => null);
    if (stats && stats.mtimeMs < now - MAX_DRAFT_REST_MS) await rm(join(folder, name), { force: true });
  }
}

/** A folder that is not there may be a disk that is not mounted, so it is not created. */
export async function requireBackupFolder(folder: string): Promise<void> {
  const stats = await withFileFault(folder, EXIT_CODES.cannotCreate, () => stat(folder));
  if (!stats.isDirectory()) throw new StartError(`${folder}: not a folder`, EXIT_CODES.cannotCreate);
}

async function withFileFault<Result>(
  path: string,
  exitCode: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = readErrorCode(error);
    const isDiskFault = code === 'ENOSPC' || code === 'EIO';
    const line = code === 'ENOENT' ? 'not there; is the disk mounted?' : formatFileFault(error);
    throw new StartError(`${path}: ${line}`, isDiskFault ? EXIT_CODES.inputOutput : exitCode, error);
  }
}
