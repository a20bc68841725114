/** Files of a case, sealed and opened as streams: padded, authenticated and bound to their place in the case. */

import {
  computePlainSize,
  computeSealedSize,
  openSealedStream,
  sealStream,
  toSealError,
} from '../core/age.ts';
import { parseBoundedJson } from '../core/bounded-json.ts';
import { type ByteReader, createByteReader, createByteStream, measureStream } from '../core/byte-stream.ts';
import { decodeUint32, decodeUtf8, encodeUint32, encodeUtf8, hasEqualBytes } from '../core/bytes.ts';
import { CASE_MAC_BYTES, type CaseKey, createCaseMac } from '../core/case-key.ts';
import type { SealedPlace } from '../core/envelope.ts';
import { checkHeader, serializeHeader } from '../core/header.ts';
import { computePadmeLength } from '../core/padding.ts';
import { SealError } from '../core/seal-error.ts';
import { type AttachedFileFacts, isFileName } from './attached-file.ts';
import { detectCleanableImage } from './image-metadata.ts';

/** The longest frame of a file. */
export const FRAME_BYTES = 64 * 1024;
const LENGTH_BYTES = 4;
/** The header and metadata lines of a file together. */
export const MAX_HEAD_BYTES = 4096;
const NEWLINE = 10;
const ZEROS = new Uint8Array(FRAME_BYTES);

export type FileMetadata = Pick<AttachedFileFacts, 'name' | 'mime'>;

export interface FileToSeal extends FileMetadata {
  /** The length need not be known in advance. */
  readonly content: ReadableStream<Uint8Array>;
  /** A longer file fails the sealed stream with `too_large`; it is never truncated. */
  readonly maxBytes: number;
}

export interface OpenedSealedFile extends FileMetadata {
  /** Fails at the end unless everything is authentic, so do not use the content before the stream has ended. */
  readonly content: ReadableStream<Uint8Array>;
}

type Mac = ReturnType<typeof createCaseMac>;

export async function sealFile(
  key: CaseKey,
  place: SealedPlace,
  file: FileToSeal,
): Promise<ReadableStream<Uint8Array>> {
  const head = encodeHead(key, place, file);
  return await sealStream(createByteStream(encodeFile(createCaseMac(key), head, file)), [key.recipient]);
}

/**
 * Authenticates header and metadata before returning, so that nothing of a forged file is returned. Readers rely on
 * `named`, the facts that the inquiry, message or finding lists about the file: a file that differs is `swapped`.
 */
export async function openSealedFile(
  key: CaseKey,
  place: SealedPlace,
  sealed: ReadableStream<Uint8Array>,
  named: AttachedFileFacts | null = null,
): Promise<OpenedSealedFile> {
  const source = measureStream(sealed);
  const reader = createByteReader(await openSealedStream(source.stream, key.identity));
  const mac = createCaseMac(key);
  try {
    const metadata = await readHead(key, place, reader, mac);
    if (named && (metadata.name !== named.name || metadata.mime !== named.mime))
      throw new SealError('swapped');
    const content = readContent(reader, mac, source.length);
    return { ...metadata, content: createByteStream(named ? requireNamedSize(content, named) : content) };
  } catch (error) {
    await reader.release();
    throw toFileSealError(error, source.length());
  }
}

export function computeSealedFileSize(
  key: CaseKey,
  place: SealedPlace,
  metadata: FileMetadata,
  size: number,
): number {
  const frames = Math.ceil(size / FRAME_BYTES) + 1;
  const head = encodeHead(key, place, metadata).length + CASE_MAC_BYTES;
  return computeSealedSize(computePadmeLength(head + size + (frames + 1) * LENGTH_BYTES + CASE_MAC_BYTES));
}

/** Whether a sealed file of at most `maxBytes` can have this length; the service can check this without a key. */
export function isSealedFileSize(sealedBytes: number, maxBytes: number): boolean {
  const length = computePlainSize(sealedBytes);
  const frames = Math.ceil(maxBytes / FRAME_BYTES) + 1;
  const longest = computePadmeLength(
    MAX_HEAD_BYTES + maxBytes + (frames + 1) * LENGTH_BYTES + 2 * CASE_MAC_BYTES,
  );
  return length !== null && computePadmeLength(length) === length && length <= longest;
}

/**
 * Layout: header line, metadata line, MAC of both; frames of a length and that many bytes, the last of length 0;
 * padding length, padding; MAC of everything before it.
 */
async function* encodeFile(mac: Mac, head: Uint8Array, file: FileToSeal): AsyncGenerator<Uint8Array> {
  let length = 0;
  const authenticateBytes = (bytes: Uint8Array): Uint8Array => {
    mac.update(bytes);
    length += bytes.length;
    return bytes;
  };
  yield authenticateBytes(head);
  yield authenticateBytes(mac.clone().digest());
  for await (const frame of readFrames(file)) {
    yield authenticateBytes(encodeUint32(frame.length));
    yield authenticateBytes(frame);
  }
  yield authenticateBytes(encodeUint32(0));
  const used = length + LENGTH_BYTES + CASE_MAC_BYTES;
  let padding = computePadmeLength(used) - used;
  yield authenticateBytes(encodeUint32(padding));
  for (; padding > 0; padding -= Math.min(padding, FRAME_BYTES))
    yield authenticateBytes(ZEROS.subarray(0, padding));
  yield mac.digest();
}

/** All frames but the last are full, so that the sealed size depends only on the file size. */
async function* readFrames({ content, maxBytes }: FileToSeal): AsyncGenerator<Uint8Array> {
  const reader = createByteReader(content);
  try {
    for (let size = 0; ; ) {
      const { length } = await reader.peek(FRAME_BYTES);
      if (length === 0) return;
      size += length;
      if (size > maxBytes) throw new SealError('too_large');
      yield await reader.readExactly(length);
    }
  } finally {
    await reader.release();
  }
}

function encodeHead(key: CaseKey, place: SealedPlace, { name, mime }: FileMetadata): Uint8Array {
  const head = encodeUtf8(
    `${serializeHeader({ ...place, case: key.case })}\n${JSON.stringify({ name, mime })}\n`,
  );
  if (head.length <= MAX_HEAD_BYTES) return head;
  throw new SealError('too_large', 'The name of this file is too long. Shorten it.');
}

async function readHead(
  key: CaseKey,
  place: SealedPlace,
  reader: ByteReader,
  mac: Mac,
): Promise<FileMetadata> {
  checkHeader(await readLine(reader, mac), { ...place, case: key.case });
  const metadata = await readLine(reader, mac);
  await requireValidMac(reader, mac);
  const { name, mime } = (parseBoundedJson(metadata) ?? {}) as Partial<FileMetadata>;
  if (typeof name !== 'string' || typeof mime !== 'string' || !isFileName(name))
    throw new SealError('tampered');
  return { name, mime };
}

/** Pictures are listed before their metadata is removed, so they may be shorter. */
async function* requireNamedSize(
  content: AsyncGenerator<Uint8Array>,
  { size, kept_as_evidence: isEvidence }: AttachedFileFacts,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  let mayBeShorter = false;
  for await (const bytes of content) {
    mayBeShorter ||= read === 0 && !isEvidence && detectCleanableImage(bytes) !== null;
    read += bytes.length;
    if (read > size) throw new SealError('swapped');
    yield bytes;
  }
  if (read < size && !mayBeShorter) throw new SealError('swapped');
}

async function readLine(reader: ByteReader, mac: Mac): Promise<string> {
  const end = (await reader.peek(MAX_HEAD_BYTES)).indexOf(NEWLINE);
  if (end < 0) throw new SealError('tampered');
  const line = await readAuthenticated(reader, mac, end + 1);
  return decodeUtf8(line.subarray(0, end));
}

/** The MAC itself is included in the next MAC, as in `encodeFile`. */
async function requireValidMac(reader: ByteReader, mac: Mac): Promise<void> {
  const expected = mac.clone().digest();
  if (!hasEqualBytes(await readAuthenticated(reader, mac, CASE_MAC_BYTES), expected))
    throw new SealError('forged');
}

async function* readContent(
  reader: ByteReader,
  mac: Mac,
  sealedLength: () => number | null,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const length = decodeUint32(await readAuthenticated(reader, mac, LENGTH_BYTES));
      if (length === 0) break;
      if (length > FRAME_BYTES) throw new SealError('tampered');
      yield await readAuthenticated(reader, mac, length);
    }
    let padding = decodeUint32(await readAuthenticated(reader, mac, LENGTH_BYTES));
    for (; padding > 0; padding -= Math.min(padding, FRAME_BYTES))
      await readAuthenticated(reader, mac, Math.min(padding, FRAME_BYTES));
    await requireValidMac(reader, mac);
    if ((await reader.readSome(1)) !== null) throw new SealError('tampered');
  } catch (error) {
    throw toFileSealError(error, sealedLength());
  } finally {
    await reader.release();
  }
}

async function readAuthenticated(reader: ByteReader, mac: Mac, count: number): Promise<Uint8Array> {
  const bytes = await reader.readExactly(count);
  mac.update(bytes);
  return bytes;
}

/** age does not distinguish a missing end from a changed one; after the end, an impossible length means truncation. */
function toFileSealError(error: unknown, sealedLength: number | null): SealError {
  const fault = toSealError(error);
  if (fault.code !== 'tampered' || sealedLength === null) return fault;
  const length = computePlainSize(sealedLength);
  return length === null || computePadmeLength(length) !== length
    ? new SealError('truncated', undefined, error)
    : fault;
}
