/**
 * The file format of bundles: a line that names the format, an index as one line of JSON, the sealed case key, the
 * sealed result key, every sealed object; then the SHA-256 of all that in hex, which detects damage, and a MAC of it
 * under the result key, which detects forgery.
 */
import { createHash } from 'node:crypto';
import { Value } from 'typebox/value';
import { createByteReader } from '#seal/byte-stream.ts';
import { decodeUtf8, encodeUtf8 } from '#seal/bytes.ts';
import { SealError } from '#seal/seal-error.ts';
import { type BundledObject, type CaseBundle, toBundledId } from './bundle.ts';
import { type BundleIndex, bundleIndexSchema } from './bundle-index.ts';
import { computeResultMac } from './result-key.ts';

const MAGIC = 'inquiry-office case bundle 2\n';
const FIRST_VERSION = 'inquiry-office case bundle 1\n';
const OTHER_VERSION = /^inquiry-office case bundle \d+\n/;
const NEWLINE = 10;
const MAX_INDEX_BYTES = 1024 * 1024;
/** 64 digits, a space, the MAC in base64url, a line end. */
const LAST_LINE_BYTES = 109;
const LAST_LINE = /^([\da-f]{64}) ([\w-]{43})\n$/;

/** `resultKey` is the opened one, for the MAC. */
export async function* encodeBundle(bundle: CaseBundle, resultKey: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const bytes of encodeBody(bundle)) {
    hash.update(bytes);
    yield bytes;
  }
  const digest = hash.digest();
  yield encodeUtf8(`${digest.toString('hex')} ${computeResultMac(resultKey, digest)}\n`);
}

/** A file, or anything else that can be read from an offset. */
export interface BundleSource {
  readonly size: number;
  readonly stream: (start: number, size: number) => ReadableStream<Uint8Array>;
}

/** A bundle from a file: complete, but perhaps not genuine. */
export interface ReceivedBundle extends CaseBundle {
  /** The SHA-256 of everything before the last line. */
  readonly digest: Uint8Array;
  readonly mac: string;
}

/** Checks the whole file before any of it is used. */
export async function readBundle(source: BundleSource): Promise<ReceivedBundle> {
  const { index, length } = await readIndex(source);
  const keyBytes = index.case_key + index.result_key;
  const bodyBytes = index.objects.reduce((sum, object) => sum + object.size, length + keyBytes);
  if (source.size !== bodyBytes + LAST_LINE_BYTES) throw createDamageError('It is not complete');
  const checked = await requireChecksum(source, bodyBytes);
  let offset = length + keyBytes;
  const objects = index.objects.map(({ kind, seq, size: bytes, kept_at: keptAt }): BundledObject => {
    const start = offset;
    offset += bytes;
    const openContent = async () => source.stream(start, bytes);
    return { id: toBundledId({ kind, seq }), kind, seq, size: bytes, keptAt, content: openContent };
  });
  if (new Set(objects.map(({ id }) => id)).size !== objects.length)
    throw createDamageError('It contains the same part twice');
  return {
    // The key box, its shred key and the owner of the case stay in the database.
    record: {
      ...index.case,
      owner: null,
      words_tag: '',
      key_box: new Uint8Array(),
      kept_until: null,
      purge_by: null,
      taken_from: null,
      purging: 0,
      taken_at: null,
      released_at: null,
      shortened_from: null,
      held_state: null,
      shred_slot: null,
      shred_id: null,
      sealed_to: null,
      unanswered_since: null,
      notice_id: null,
      holder: null,
      changed_at: null,
    },
    caseKey: await readSourceBytes(source, length, index.case_key),
    sealedResultKey: await readSourceBytes(source, length + index.case_key, index.result_key),
    pins: index.pins,
    objects,
    acts: index.acts,
    ...checked,
  };
}

async function* encodeBody(bundle: CaseBundle): AsyncGenerator<Uint8Array> {
  yield encodeUtf8(`${MAGIC}${JSON.stringify(toBundleIndex(bundle))}\n`);
  yield bundle.caseKey;
  yield bundle.sealedResultKey;
  for (const object of bundle.objects) {
    let bytesLeft = object.size;
    for await (const bytes of await object.content()) {
      bytesLeft -= bytes.length;
      yield bytes;
    }
    if (bytesLeft !== 0) throw new SealError('truncated');
  }
}

function toBundleIndex({ record, caseKey, sealedResultKey, pins, objects, acts }: CaseBundle): BundleIndex {
  return {
    // Drops what the schema does not name, above all the key box.
    case: Value.Clean(bundleIndexSchema.properties.case, { ...record }) as BundleIndex['case'],
    case_key: caseKey.length,
    result_key: sealedResultKey.length,
    pins: [...pins],
    objects: objects.map(({ kind, seq, size: bytes, keptAt }) => ({
      kind: kind as BundleIndex['objects'][number]['kind'],
      seq,
      size: bytes,
      kept_at: keptAt,
    })),
    acts: [...acts],
  };
}

async function readIndex(source: BundleSource): Promise<{ index: BundleIndex; length: number }> {
  const start = await readSourceBytes(source, 0, Math.min(source.size, MAGIC.length + MAX_INDEX_BYTES));
  const text = new TextDecoder('latin1').decode(start.subarray(0, MAGIC.length + 8));
  if (!text.startsWith(MAGIC))
    throw OTHER_VERSION.test(text)
      ? createVersionError(text)
      : createDamageError('It is not a bundle of a case');
  const end = start.indexOf(NEWLINE, MAGIC.length);
  if (end < 0) throw createDamageError('It is not complete');
  const index = parseIndexLine(start.subarray(MAGIC.length, end));
  if (!Value.Check(bundleIndexSchema, index)) throw createDamageError('Its index is not as it was written');
  return { index, length: end + 1 };
}

async function requireChecksum(
  source: BundleSource,
  bodyBytes: number,
): Promise<Pick<ReceivedBundle, 'digest' | 'mac'>> {
  const hash = createHash('sha256');
  for await (const bytes of source.stream(0, bodyBytes)) hash.update(bytes);
  const digest = hash.digest();
  const lastLine = Buffer.from(await readSourceBytes(source, bodyBytes, LAST_LINE_BYTES)).toString('latin1');
  const [, checksum, mac] = LAST_LINE.exec(lastLine) ?? [];
  if (mac === undefined || checksum !== digest.toString('hex'))
    throw createDamageError('It was changed or damaged after it was written');
  return { digest, mac };
}

async function readSourceBytes(source: BundleSource, start: number, length: number): Promise<Uint8Array> {
  const reader = createByteReader(source.stream(start, length));
  try {
    return await reader.readExactly(length);
  } finally {
    await reader.release();
  }
}

function parseIndexLine(line: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(line));
  } catch {
    throw createDamageError('Its index is not as it was written');
  }
}

function createDamageError(fault: string): SealError {
  return new SealError('tampered', `${fault}, so it was not used. Copy or export it again.`);
}

function createVersionError(text: string): SealError {
  const isOld = text.startsWith(FIRST_VERSION);
  return new SealError(
    'unsupported',
    isOld
      ? 'This bundle was written by version 0.1.0, which could not tell a forged one. Export the case again with this version.'
      : 'This bundle was written by a newer version of this program.',
  );
}
