/** Reads a command's input files; every error names the path as the user typed it. */
import { type FileHandle, open } from 'node:fs/promises';
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
