/**
 * The file format of bundles: a line that names the format, an index as one line of JSON, the sealed case key,
 * every sealed object, and the SHA-256 of all that in hex. The checksum detects damage; the seals inside
 * detect forgery.
 */
import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { tierNames } from '#payments/tiers.ts';
import { closedObject, IdSchema } from '#platform/http/shapes.ts';
import { createByteReader } from '#seal/byte-stream.ts';
import { decodeUtf8, encodeUtf8 } from '#seal/bytes.ts';
import { CASE_OBJECT_KINDS } from '#seal/header.ts';
import { SealError } from '#seal/seal-error.ts';
import { CALL_STATES, CASE_STATES, SEALED_BY } from '#store/column-values.ts';
import { LookupTokenText } from '#wire/lookup-text.ts';
import { type BundledObject, type CaseBundle, toBundledId } from './bundle.ts';

const MAGIC = 'inquiry-office case bundle 1\n';
const OTHER_VERSION = /^inquiry-office case bundle \d+\n/;
const NEWLINE = 10;
const MAX_INDEX_BYTES = 1024 * 1024;
const CHECKSUM_BYTES = 65;

const size = Type.Integer({ minimum: 0, maximum: 2 ** 40 });
const time = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const timeOrNull = Type.Union([time, Type.Null()]);

const indexSchema = Type.Object(
  {
    case: Type.Object(
      {
        id: IdSchema,
        lookup_hash: LookupTokenText,
        tier: Type.Enum(tierNames),
        state: Type.Enum([...CASE_STATES]),
        call: Type.Enum([...CALL_STATES]),
        sealed_by: Type.Enum([...SEALED_BY]),
        // Any number: the case may have been submitted when the choices were different.
        keep_days: Type.Integer({ minimum: 1, maximum: 36_500 }),
        terms_version: Type.String({ maxLength: 64 }),
        submitted_at: time,
        due_at: time,
        delivered_at: timeOrNull,
        purge_at: timeOrNull,
      },
      closedObject,
    ),
    case_key: size,
    objects: Type.Array(
      Type.Object(
        {
          kind: Type.Enum([...CASE_OBJECT_KINDS]),
          seq: Type.Integer({ minimum: 0, maximum: 1_000 }),
          size,
          kept_at: time,
        },
        closedObject,
      ),
      { maxItems: 1_000 },
    ),
    acts: Type.Array(
      Type.Union([
        Type.Object(
          {
            act: Type.Enum(['message', 'ask', 'decline']),
            seq: Type.Integer({ minimum: 0, maximum: 1_000 }),
            offers_call: Type.Boolean(),
          },
          closedObject,
        ),
        Type.Object({ act: Type.Literal('deliver') }, closedObject),
      ]),
      { maxItems: 1_000 },
    ),
  },
  closedObject,
);

type Index = Static<typeof indexSchema>;

export async function* encodeBundle(bundle: CaseBundle): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const bytes of encodeBody(bundle)) {
    hash.update(bytes);
    yield bytes;
  }
  yield encodeUtf8(`${hash.digest('hex')}\n`);
}

/** A file, or anything else that can be read from an offset. */
export interface BundleSource {
  readonly size: number;
  readonly stream: (start: number, size: number) => ReadableStream<Uint8Array>;
}

/** Checks the whole file before any of it is used. */
export async function readBundle(source: BundleSource): Promise<CaseBundle> {
  const { index, length } = await readIndex(source);
  const sealedBytes = index.objects.reduce((sum, object) => sum + object.size, index.case_key);
  const bodyBytes = length + sealedBytes;
  if (source.size !== bodyBytes + CHECKSUM_BYTES) throw createDamageError('It is not complete');
  await requireChecksum(source, bodyBytes);
  let offset = length + index.case_key;
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
      purging: 0,
    },
    caseKey: await readSourceBytes(source, length, index.case_key),
    objects,
    acts: index.acts,
  };
}

async function* encodeBody(bundle: CaseBundle): AsyncGenerator<Uint8Array> {
  yield encodeUtf8(`${MAGIC}${JSON.stringify(toBundleIndex(bundle))}\n`);
  yield bundle.caseKey;
  for (const object of bundle.objects) {
    let bytesLeft = object.size;
    for await (const bytes of await object.content()) {
      bytesLeft -= bytes.length;
      yield bytes;
    }
    if (bytesLeft !== 0) throw new SealError('truncated');
  }
}

function toBundleIndex({ record, caseKey, objects, acts }: CaseBundle): Index {
  return {
    // Drops what the schema does not name, above all the key box.
    case: Value.Clean(indexSchema.properties.case, { ...record }) as Index['case'],
    case_key: caseKey.length,
    objects: objects.map(({ kind, seq, size: bytes, keptAt }) => ({
      kind: kind as Index['objects'][number]['kind'],
      seq,
      size: bytes,
      kept_at: keptAt,
    })),
    acts: [...acts],
  };
}

async function readIndex(source: BundleSource): Promise<{ index: Index; length: number }> {
  const start = await readSourceBytes(source, 0, Math.min(source.size, MAGIC.length + MAX_INDEX_BYTES));
  const text = new TextDecoder('latin1').decode(start.subarray(0, MAGIC.length + 8));
  if (!text.startsWith(MAGIC))
    throw OTHER_VERSION.test(text) ? createVersionError() : createDamageError('It is not a bundle of a case');
  const end = start.indexOf(NEWLINE, MAGIC.length);
  if (end < 0) throw createDamageError('It is not complete');
  const index = parseIndexLine(start.subarray(MAGIC.length, end));
  if (!Value.Check(indexSchema, index)) throw createDamageError('Its index is not as it was written');
  return { index, length: end + 1 };
}

async function requireChecksum(source: BundleSource, bodyBytes: number): Promise<void> {
  const hash = createHash('sha256');
  for await (const bytes of source.stream(0, bodyBytes)) hash.update(bytes);
  const checksum = await readSourceBytes(source, bodyBytes, CHECKSUM_BYTES);
  if (Buffer.from(checksum).toString('latin1') !== `${hash.digest('hex')}\n`)
    throw createDamageError('It was changed or damaged after it was written');
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

function createVersionError(): SealError {
  return new SealError('unsupported', 'This bundle was written by a newer version of this program.');
}
