/** Opens the files of a backup with a private key, and chooses the keys that belong to the records. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { HOUR_MS } from '#platform/durations.ts';
import { readErrorCode } from '#platform/error-code.ts';
import { createReadError, EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { type AgeIdentity, countRecipients, openSealedStream, toSealError } from '#seal/core/age.ts';
import type { RecordsSnapshot } from '#store/engine/records-snapshot.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import type { ShredKeyCopy } from '#store/keys/shred-keys.ts';
import { FIRST_PREVIOUS_STEP, LAST_PREVIOUS_COMMIT } from '#store/schema/carry-over.ts';
import { schemaSteps } from '#store/schema/schema-steps.ts';
import { listBackupNames } from './backup-files.ts';
import { BackupFault, type BackupHeader, decodeBackup, type OpenedBackup } from './backup-stream.ts';
import { readKeyItems } from './copied-keys.ts';

/** Enough for several hundred recipients. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** A code such as EIO; our own codes, and those of libraries, have an underscore. */
const SYSTEM_FAULT = /^E[A-Z0-9]+$/;

export interface BackupReader {
  readonly keyring: Keyring;
  readonly identity: AgeIdentity;
  /** Passes the sealed bytes of a file through; may show the progress. */
  readonly watch: (path: string, sealed: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>;
}

export interface CopiedKeys {
  readonly header: BackupHeader;
  readonly keys: readonly ShredKeyCopy[];
}

export async function findNewestRecords(folder: string): Promise<string> {
  const [newest] = await listBackupNames(folder, 'records');
  if (newest === undefined)
    throw new ProgramError(`${folder}: there is no records-….age here`, EXIT_CODES.noInput);
  return join(folder, newest);
}

/** Refuses a device, or a file that is not ours: reading it, or its header, might never end. */
async function requireSealedFile(path: string): Promise<void> {
  const stats = await stat(path);
  if (!stats.isFile()) throw new ProgramError(`${path}: not a file`, EXIT_CODES.noInput);
  const start = createReadStream(path, { end: MAX_HEADER_BYTES - 1 });
  if (countRecipients(Buffer.concat(await Array.fromAsync(start))) === null)
    throw new BackupFault('not a sealed file, or damaged');
}

/** Faults that are found only while reading are thrown by the items. */
export async function openBackup(
  reader: BackupReader,
  path: string,
  part: BackupHeader['part'],
): Promise<OpenedBackup> {
  return await withFileName(path, async () => {
    await requireSealedFile(path);
    const sealed = reader.watch(path, Readable.toWeb(createReadStream(path)));
    const plain = await openSealedStream(sealed, reader.identity);
    const { header, items } = await decodeBackup(reader.keyring, plain);
    if (header.part !== part) throw new BackupFault(`a backup of the ${header.part}, not of the ${part}`);
    return { header, items: withNamedErrors(path, items) };
  });
}

/** Reads every copy of the keys in the folder: the newest is determined by content, not by name. */
export async function readNewestKeys(reader: BackupReader, folder: string): Promise<CopiedKeys> {
  const names = await listBackupNames(folder, 'keys');
  const copies = await Array.fromAsync(names, (name) => readKeys(reader, join(folder, name)));
  const newest = copies.reduce<CopiedKeys | null>(
    (best, copy) => (best && !isNewer(copy.header, best.header) ? best : copy),
    null,
  );
  if (newest) return newest;
  throw new ProgramError(`${folder}: there is no keys-….age here`, EXIT_CODES.noInput);
}

/** A restore begins a new installation id, so a header that lists the other's id as a former one is newer. */
function isNewer(one: BackupHeader, other: BackupHeader): boolean {
  if (one.pairing.id === other.pairing.id) return one.pairing.counter > other.pairing.counter;
  return one.former.some(({ id }) => id === other.pairing.id);
}

export async function readKeys(reader: BackupReader, path: string): Promise<CopiedKeys> {
  const { header, items } = await openBackup(reader, path, 'keys');
  return { header, keys: await withFileName(path, () => readKeyItems(items, header.engine)) };
}

/** Throws if the parts do not match; returns the number of steps of the records' schema. */
export function requireMatchingParts(
  records: BackupHeader,
  keys: BackupHeader,
  engine: RecordsSnapshot['engine'],
): number {
  for (const { engine: made } of [records, keys])
    if (made !== engine)
      throw createMisfit(
        `the backup was made from ${made === 'sqlite' ? 'SQLite' : 'PostgreSQL'} (see DATABASE_URL)`,
      );
  requireNewerKeys(records.pairing, keys);
  const { steps, program } = records;
  if (steps[0] === FIRST_PREVIOUS_STEP)
    throw createMisfit(
      `the backup is of version 0.1.0; restore it with its last commit (${LAST_PREVIOUS_COMMIT}) and start the service of this version with the records`,
    );
  if (steps.some((name, index) => schemaSteps[index]?.name !== name))
    throw createMisfit(`the records are of version ${program}, which is newer than this program`);
  return steps.length;
}

/** Refuses a clock that is behind, because cases would be purged too late. */
export function requireLaterClock(now: number, { cutAt }: BackupHeader): void {
  if (now < cutAt - HOUR_MS) throw createMisfit('the clock of this machine is behind the time of the backup');
}

export function requireSameTime(now: number, databaseTime: number | null): void {
  if (databaseTime !== null && Math.abs(now - databaseTime) > HOUR_MS)
    throw createMisfit('the clocks of this machine and of the database differ by more than an hour');
}

/** Refuses keys that were copied before the records, because those of newer cases are missing. */
function requireNewerKeys({ id, counter }: BackupHeader['pairing'], keys: BackupHeader): void {
  const match = [keys.pairing, ...keys.former].find((each) => each.id === id);
  if (!match) throw createMisfit('the keys belong to other records');
  if (match.counter < counter) throw createMisfit('the keys are older than the records');
}

function createMisfit(reason: string): ProgramError {
  return new ProgramError(`nothing was restored: ${reason}`, EXIT_CODES.dataError);
}

async function* withNamedErrors<Item>(path: string, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw toNamedError(basename(path), error);
  }
}

async function withFileName<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toNamedError(basename(path), error);
  }
}

function toNamedError(name: string, error: unknown): ProgramError {
  if (error instanceof ProgramError) return error;
  if (error instanceof BackupFault)
    return new ProgramError(`${name}: ${error.message}`, EXIT_CODES.dataError);
  if (SYSTEM_FAULT.test(readErrorCode(error))) return createReadError(name, error);
  const { code, message } = toSealError(error);
  if (code !== 'wrong_key') return new ProgramError(`${name}: ${message}`, EXIT_CODES.dataError, error);
  return new ProgramError(
    `${name}: this key does not open it. Use the private key of a --recipient of that backup, or one that the desk had at the time`,
    EXIT_CODES.noPermission,
    error,
  );
}
