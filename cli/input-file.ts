/** Files that a command reads: opened once, and a fault is told with the name that was given. */
import { type FileHandle, open } from 'node:fs/promises';
import { EXIT } from '#platform/errors.ts';
import { streamFrom } from '#seal/byte-stream.ts';
import { codeOf, Failure } from './failure.ts';

const CHUNK_BYTES = 64 * 1024;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EISDIR: 'it is a folder',
};

export async function openInput(path: string): Promise<FileHandle> {
  return await reading(path, () => open(path, 'r'));
}

/** For what is short; a pipe will do. */
export async function readInput(path: string, maxBytes: number): Promise<Buffer> {
  await using file = await openInput(path);
  const bytes = Buffer.alloc(maxBytes + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = (await reading(path, () => file.read(bytes, length, bytes.length - length, null))).bytesRead;
  if (length > maxBytes) throw new Failure(`${path}: longer than ${maxBytes} bytes`, EXIT.noInput);
  return bytes.subarray(0, length);
}

export async function sizeOfInput(path: string, file: FileHandle): Promise<number> {
  const found = await reading(path, () => file.stat());
  if (!found.isFile()) throw new Failure(`${path}: not a file`, EXIT.noInput);
  return found.size;
}

/** So many bytes from a place on, as a reader wants them. */
export function streamInput(path: string, file: FileHandle, start: number, size: number) {
  return streamFrom(piecesOf(path, file, start, size));
}

async function* piecesOf(
  path: string,
  file: FileHandle,
  start: number,
  size: number,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const piece = Buffer.alloc(Math.min(CHUNK_BYTES, size - at));
    const { bytesRead } = await reading(path, () => file.read(piece, 0, piece.length, start + at));
    if (bytesRead === 0) throw new Failure(`${path}: changed while it was read`, EXIT.noInput);
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

async function reading<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const code = codeOf(error);
    throw new Failure(`${path}: ${reasons[code] ?? `it cannot be read (${code})`}`, EXIT.noInput, error);
  }
}
