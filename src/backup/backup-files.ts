/** Names, writes and removes the files of a backup folder; a file is written as a whole or not at all. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { KEPT_KEYS_FILES } from '#cases/ending/retention.ts';
import { syncFolder } from '#platform/atomic-file.ts';
import { HOUR_MS, MINUTE_MS } from '#platform/durations.ts';
import { formatFileFault, readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import {
  type AgeIdentity,
  type AgeRecipient,
  deriveRecipient,
  generateAgeIdentity,
  openSealedStream,
  sealStream,
} from '#seal/core/age.ts';
import type { Installation } from '#store/keys/shred-keys.ts';
import type { BackupHeader } from './backup-stream.ts';
import { BackupFault } from './backup-stream.ts';

type BackupPart = BackupHeader['part'];

/** The time, and a tag of the installation id. */
const NAMES: Readonly<Record<BackupPart, RegExp>> = {
  records: /^records-\d{8}T\d{6}\.\d{3}Z-([0-9a-f]{12})\.age$/,
  keys: /^keys-\d{8}T\d{6}\.\d{3}Z-([0-9a-f]{12})\.age$/,
};
const INSTALLATION_TAG_LENGTH = 12;
const DRAFT = /^\.(?:records|keys)-[\w.-]+\.draft$/;
/** A draft that has not been written to for this long was left by a killed program. */
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

export function formatBackupName(part: BackupPart, at: number, { id }: Pick<Installation, 'id'>): string {
  return `${part}-${formatNameTime(at)}-${toInstallationTag(id)}.age`;
}

function formatNameTime(at: number): string {
  return new Date(at).toISOString().replace(/[-:]/g, '');
}

function toInstallationTag(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, INSTALLATION_TAG_LENGTH);
}

/** Newest first. */
export async function listBackupNames(folder: string, part: BackupPart): Promise<string[]> {
  const names = await withFileFault(folder, EXIT_CODES.noInput, () => readdir(folder));
  return names
    .filter((name) => NAMES[part].test(name))
    .toSorted()
    .toReversed();
}

/** Reads from its name when the newest backup of a part began; null if there is none. Ignores names whose time is in the future. */
export async function findBackupTime(folder: string, part: BackupPart, now: number): Promise<number | null> {
  const latest = `${part}-${formatNameTime(now + CLOCK_TOLERANCE_MS)}`;
  const name = (await listBackupNames(folder, part)).find((each) => each <= latest);
  return name === undefined ? null : parseNameTime(name);
}

function parseNameTime(name: string): number {
  const [, day = '', time = ''] = /-(\d{8})T(.{10}Z)-/.exec(name) ?? [];
  return Date.parse(`${day.replace(/(..)(..)$/, '-$1-$2')}T${time.replace(/^(..)(..)/, '$1:$2:')}`);
}

interface SealedOutput {
  readonly folder: string;
  readonly name: string;
  readonly recipients: readonly AgeRecipient[];
  readonly plain: AsyncIterable<Uint8Array>;
  /** Throws if the content read back differs from what was to be written. */
  readonly check: (written: AsyncIterable<Uint8Array>) => Promise<void>;
}

/** Writes and syncs a draft, reads it back, and only then renames it. */
export async function writeBackupFile(output: SealedOutput): Promise<BackupFile> {
  const { folder, name, recipients, plain, check } = output;
  const path = join(folder, name);
  const draft = join(folder, `.${name}.${randomBytes(6).toString('hex')}.draft`);
  const file = await withFileFault(folder, EXIT_CODES.cannotCreate, () => open(draft, 'wx', PRIVATE));
  // An extra recipient whose private key exists only here: without it the file could not be read back.
  const reader = await generateAgeIdentity();
  const all = [...recipients, await deriveRecipient(reader)];
  try {
    const written = await writeSealed(path, file, await sealStream(ReadableStream.from(plain), all));
    await requireReadBack(draft, path, reader, check);
    await withFileFault(path, EXIT_CODES.cannotCreate, async () => {
      await rename(draft, path);
      await syncFolder(folder);
    });
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

async function requireReadBack(
  draft: string,
  path: string,
  reader: AgeIdentity,
  check: SealedOutput['check'],
): Promise<void> {
  try {
    const sealed = Readable.toWeb(createReadStream(draft)) as unknown as ReadableStream<Uint8Array>;
    await check(await openSealedStream(sealed, reader));
  } catch (error) {
    const fault = error instanceof BackupFault ? ` (${error.message})` : '';
    throw new ProgramError(
      `${path}: the data read back differs from the data written${fault}, so the file was discarded`,
      EXIT_CODES.inputOutput,
      error,
    );
  }
}

/** If DATA_DIR is not mounted, copies of a new installation there would replace the good keys in the backup folder. */
export async function requireOwnKeysFiles(
  folder: string,
  installations: readonly Pick<Installation, 'id'>[],
): Promise<void> {
  await requireBackupFolder(folder);
  const names = await listBackupNames(folder, 'keys');
  const stranger = names.find((name) => !isWrittenBy(name, installations));
  if (stranger === undefined) return;
  throw new ProgramError(
    `${join(folder, stranger)}: this file contains keys of another installation, so nothing was backed up; is DATA_DIR the right one, and mounted? A second installation needs its own folder`,
    EXIT_CODES.config,
  );
}

function isWrittenBy(name: string, installations: readonly Pick<Installation, 'id'>[]): boolean {
  const tag = NAMES.keys.exec(name)?.[1];
  return installations.some(({ id }) => toInstallationTag(id) === tag);
}

/** Removes old key copies of these installations and drafts of killed backups; returns how many copies remain. */
export async function removeOldKeysFiles(
  folder: string,
  installations: readonly Pick<Installation, 'id'>[],
  now: number,
): Promise<number> {
  const names = (await listBackupNames(folder, 'keys')).filter((name) => isWrittenBy(name, installations));
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

/** Does not create a missing folder, because its disk may not be mounted. */
export async function requireBackupFolder(folder: string): Promise<void> {
  const stats = await withFileFault(folder, EXIT_CODES.cannotCreate, () => stat(folder));
  if (!stats.isDirectory()) throw new ProgramError(`${folder}: not a folder`, EXIT_CODES.cannotCreate);
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
    const line = code === 'ENOENT' ? 'does not exist; is the disk mounted?' : formatFileFault(error);
    throw new ProgramError(`${path}: ${line}`, isDiskFault ? EXIT_CODES.inputOutput : exitCode, error);
  }
}
