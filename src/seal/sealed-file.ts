/** Files of a case: sealed and opened as streams, with name and type inside, padded, bound and authenticated. */
import { openStream, plainSize, sealErrorOf, sealedSize, sealStream } from './age.ts';
import { type ByteReader, byteReader, measured, streamFrom } from './byte-stream.ts';
import { equalBytes, fromUtf8, readUint32, uint32, utf8 } from './bytes.ts';
import { type CaseKey, caseMac, MAC_BYTES } from './case-key.ts';
import type { Place } from './envelope.ts';
import { checkHeader, headerLine } from './header.ts';
import { padme } from './padding.ts';
import { SealError } from './seal-error.ts';

const FRAME_BYTES = 64 * 1024;
const LENGTH_BYTES = 4;
const MAX_HEAD_BYTES = 4096;
const NEWLINE = 10;
const ZEROS = new Uint8Array(FRAME_BYTES);

export interface FileFacts {
  readonly name: string;
  readonly mime: string;
}

export interface FileToSeal extends FileFacts {
  /** Its length need not be known before. */
  readonly content: ReadableStream<Uint8Array>;
  /** A longer file ends the sealed stream with `too_large`: it is refused whole, never cut. */
  readonly maxBytes: number;
}

export interface OpenedFile extends FileFacts {
  /** Ends with an error unless all of it is genuine: nothing may be kept before it has ended well. */
  readonly content: ReadableStream<Uint8Array>;
}

type Mac = ReturnType<typeof caseMac>;

export async function sealFile(
  key: CaseKey,
  place: Place,
  file: FileToSeal,
): Promise<ReadableStream<Uint8Array>> {
  const head = headOf(key, place, file);
  return await sealStream(streamFrom(writtenFile(caseMac(key), head, file)), [key.recipient]);
}

/** Header and facts are authenticated before this returns, so that of a forged file nothing comes out. */
export async function openFile(
  key: CaseKey,
  place: Place,
  sealed: ReadableStream<Uint8Array>,
): Promise<OpenedFile> {
  const source = measured(sealed);
  const reader = byteReader(await openStream(source.stream, key.identity));
  const mac = caseMac(key);
  try {
    const facts = await readHead(key, place, reader, mac);
    return { ...facts, content: streamFrom(contentOf(reader, mac, source.length)) };
  } catch (error) {
    await reader.letGo();
    throw faultOf(error, source.length());
  }
}

/** How many bytes a file of `size` bytes becomes. */
export function sealedFileSize(key: CaseKey, place: Place, facts: FileFacts, size: number): number {
  const frames = Math.ceil(size / FRAME_BYTES) + 1;
  const head = headOf(key, place, facts).length + MAC_BYTES;
  return sealedSize(padme(head + size + (frames + 1) * LENGTH_BYTES + MAC_BYTES));
}

/** Whether a sealed file of at most `maxBytes` can have this length: what a service can check without a key. */
export function isSealedFileSize(sealedBytes: number, maxBytes: number): boolean {
  const length = plainSize(sealedBytes);
  const frames = Math.ceil(maxBytes / FRAME_BYTES) + 1;
  const longest = padme(MAX_HEAD_BYTES + maxBytes + (frames + 1) * LENGTH_BYTES + 2 * MAC_BYTES);
  return length !== null && padme(length) === length && length <= longest;
}

/**
 * Header line, line of facts, MAC of both; frames of a length and so many bytes, the last of length 0;
 * length of the padding, padding; MAC of all before it.
 */
async function* writtenFile(mac: Mac, head: Uint8Array, file: FileToSeal): AsyncGenerator<Uint8Array> {
  let length = 0;
  const passed = (bytes: Uint8Array): Uint8Array => {
    mac.update(bytes);
    length += bytes.length;
    return bytes;
  };
  yield passed(head);
  yield passed(mac.clone().digest());
  for await (const frame of framesOf(file)) {
    yield passed(uint32(frame.length));
    yield passed(frame);
  }
  yield passed(uint32(0));
  const used = length + LENGTH_BYTES + MAC_BYTES;
  let padding = padme(used) - used;
  yield passed(uint32(padding));
  for (; padding > 0; padding -= Math.min(padding, FRAME_BYTES)) yield passed(ZEROS.subarray(0, padding));
  yield mac.digest();
}

/** Full frames but for the last, so that the length of the whole follows from that of the file. */
async function* framesOf({ content, maxBytes }: FileToSeal): AsyncGenerator<Uint8Array> {
  const reader = byteReader(content);
  try {
    for (let size = 0; ; ) {
      const { length } = await reader.peek(FRAME_BYTES);
      if (length === 0) return;
      size += length;
      if (size > maxBytes) throw new SealError('too_large');
      yield await reader.take(length);
    }
  } finally {
    await reader.letGo();
  }
}

function headOf(key: CaseKey, place: Place, { name, mime }: FileFacts): Uint8Array {
  const head = utf8(`${headerLine({ ...place, case: key.case })}\n${JSON.stringify({ name, mime })}\n`);
  if (head.length <= MAX_HEAD_BYTES) return head;
  throw new SealError('too_large', 'The name of this file is too long. Shorten it.');
}

async function readHead(key: CaseKey, place: Place, reader: ByteReader, mac: Mac): Promise<FileFacts> {
  checkHeader(await takeLine(reader, mac), { ...place, case: key.case });
  const facts = await takeLine(reader, mac);
  await demandMac(reader, mac);
  const { name, mime }: Partial<FileFacts> = JSON.parse(facts);
  if (typeof name !== 'string' || typeof mime !== 'string') throw new SealError('tampered');
  return { name, mime };
}

async function takeLine(reader: ByteReader, mac: Mac): Promise<string> {
  const end = (await reader.peek(MAX_HEAD_BYTES)).indexOf(NEWLINE);
  if (end < 0) throw new SealError('tampered');
  const line = await taken(reader, mac, end + 1);
  return fromUtf8(line.subarray(0, end));
}

/** Also goes into the MAC that follows, as when it was written. */
async function demandMac(reader: ByteReader, mac: Mac): Promise<void> {
  const expected = mac.clone().digest();
  if (!equalBytes(await taken(reader, mac, MAC_BYTES), expected)) throw new SealError('forged');
}

async function* contentOf(
  reader: ByteReader,
  mac: Mac,
  sealedLength: () => number | null,
): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      const length = readUint32(await taken(reader, mac, LENGTH_BYTES));
      if (length === 0) break;
      if (length > FRAME_BYTES) throw new SealError('tampered');
      yield await taken(reader, mac, length);
    }
    let padding = readUint32(await taken(reader, mac, LENGTH_BYTES));
    for (; padding > 0; padding -= Math.min(padding, FRAME_BYTES))
      await taken(reader, mac, Math.min(padding, FRAME_BYTES));
    await demandMac(reader, mac);
    if ((await reader.some(1)) !== null) throw new SealError('tampered');
  } catch (error) {
    throw faultOf(error, sealedLength());
  } finally {
    await reader.letGo();
  }
}

async function taken(reader: ByteReader, mac: Mac, count: number): Promise<Uint8Array> {
  const bytes = await reader.take(count);
  mac.update(bytes);
  return bytes;
}

/** age cannot tell a missing end from a changed one; the length of what came, once all has come, can. */
function faultOf(error: unknown, sealedLength: number | null): SealError {
  const fault = sealErrorOf(error);
  if (fault.code !== 'tampered' || sealedLength === null) return fault;
  const length = plainSize(sealedLength);
  return length === null || padme(length) !== length ? new SealError('truncated', undefined, error) : fault;
}
