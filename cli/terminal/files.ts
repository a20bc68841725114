/** Reads the input files of a command and writes its output files; every error names the path as the user typed it. */
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatFileFault, readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { createByteStream } from '#seal/core/byte-stream.ts';

const CHUNK_BYTES = 64 * 1024;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

export async function openInputFile(path: string): Promise<FileHandle> {
  return await withReadFailure(path, () => open(path, 'r'));
}

/** Reads a short file or a pipe. */
export async function readInputFile(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await openInputFile(path);
  const bytes = Buffer.alloc(maxBytes + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = (await withReadFailure(path, () => file.read(bytes, length, bytes.length - length, null)))
      .bytesRead;
  if (length > maxBytes) throw new ProgramError(`${path}: longer than ${maxBytes} bytes`, EXIT_CODES.noInput);
  return bytes.subarray(0, length);
}

export async function readInputFileSize(path: string, file: FileHandle): Promise<number> {
  const stats = await withReadFailure(path, () => file.stat());
  if (!stats.isFile()) throw new ProgramError(`${path}: not a file`, EXIT_CODES.noInput);
  return stats.size;
}

/** Streams the first `size` bytes, on demand. */
export function streamInputFile(path: string, file: FileHandle, size: number) {
  return createByteStream(readChunks(path, file, size));
}

async function* readChunks(path: string, file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < size; ) {
    const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - offset));
    const { bytesRead } = await withReadFailure(path, () => file.read(chunk, 0, chunk.length, offset));
    if (bytesRead === 0) throw new ProgramError(`${path}: changed while it was read`, EXIT_CODES.noInput);
    offset += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

async function withReadFailure<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw new ProgramError(
      `${path}: ${reasons[readErrorCode(error)] ?? `cannot be read (${formatFileFault(error)})`}`,
      EXIT_CODES.noInput,
      error,
    );
  }
}

const PRIVATE_FILE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;

const drafts = new Set<string>();

/** An interrupted command leaves no partial file. */
process.on('exit', () => {
  for (const draft of drafts) rmSync(draft, { force: true });
});

/** The file appears only if the source ends without an error. */
export async function savePrivateFile(path: string, source: AsyncIterable<Uint8Array>): Promise<void> {
  requireFreePath(path);
  const draft = join(dirname(path), `.${randomBytes(6).toString('hex')}.draft`);
  const file = await withWriteFailure(path, () => open(draft, 'wx', PRIVATE_FILE_MODE));
  drafts.add(draft);
  try {
    await writeContent(path, file, source);
    await withWriteFailure(path, async () => {
      // Created first, because a rename replaces files. Synchronous, so that a signal cannot leave it empty.
      closeSync(openSync(path, 'wx', PRIVATE_FILE_MODE));
      renameSync(draft, path);
    });
  } finally {
    await rm(draft, { force: true });
    drafts.delete(draft);
  }
}

export function requireFreePath(path: string): void {
  if (existsSync(path)) throw createFileExistsFailure(path);
}

export async function createPrivateFolder(path: string): Promise<void> {
  await withWriteFailure(path, () => mkdir(path, { recursive: true, mode: PRIVATE_FOLDER_MODE }));
}

async function writeContent(
  path: string,
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    for await (const bytes of source) await withWriteFailure(path, () => file.writeFile(bytes));
    await withWriteFailure(path, () => file.sync());
  } finally {
    await file.close();
  }
}

async function withWriteFailure<Result>(path: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'EEXIST') throw createFileExistsFailure(path);
    const exitCode = code === 'ENOSPC' || code === 'EIO' ? EXIT_CODES.inputOutput : EXIT_CODES.cannotCreate;
    throw new ProgramError(`${path}: cannot be written (${formatFileFault(error)})`, exitCode, error);
  }
}

function createFileExistsFailure(path: string): ProgramError {
  return new ProgramError(`${path}: already exists, and was not overwritten`, EXIT_CODES.cannotCreate);
}
