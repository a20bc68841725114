/** Reads a form with files as a stream: text into memory, files through the sealer, without temporary files. */
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Multipart, MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { ArrivalSealer } from '#cases/sealing/seal-on-arrival.ts';
import { ServiceError } from '#platform/errors.ts';
import { createDeadlines } from '#platform/http/limits/deadlines.ts';
import { SealError } from '#seal/core/seal-error.ts';
import type { UnsaidSentence } from '#seal/core/unsaid-text.ts';
import { MAX_FILE_NAME_LENGTH } from '#seal/files/attached-file.ts';
import { countCharacters } from '#seal/form/field-rules.ts';
import { type FormFault, isTicked } from '#seal/form/form-fields.ts';
import {
  MAX_INQUIRY_FILE_BYTES,
  MAX_INQUIRY_FILE_MIB,
  MAX_INQUIRY_FILES,
  MAX_INQUIRY_TOTAL_BYTES,
  MAX_INQUIRY_TOTAL_MIB,
} from '#seal/form/inquiry-files.ts';
import type { AttachedFile } from '#seal/form/inquiry-form.ts';
import { KEEP_EVIDENCE_CONTROL } from '#seal/form/inquiry-sections.ts';
import { createBodyLimit } from './body-limit.ts';

/** The limit of all text, which stays in memory until the form ends. */
export const MAX_FORM_TEXT = 512 * 1024;
/** Enough for all text. Data after a first file is read up to here and dropped, so that the response arrives. */
const UNKNOWN_SENDER_SIZE = { bytes: 2 * 1024 * 1024, parts: 128 } as const;
/** Leaves room for too many files, so that the form can be shown again with that fault. */
const FORM_SIZE = { bytes: 2 * MAX_INQUIRY_TOTAL_BYTES, parts: 1_064 } as const;
/** How long the parser may take to find the next part once the whole body has arrived. */
const STALL_MS = 3_000;

/** Surplus files are read and dropped, so that the fields after them are not lost. */
const formLimits = {
  fieldNameSize: 64,
  fieldSize: 128 * 1024,
  fields: 64,
  // One byte more than allowed, to distinguish a file that is too large from one that just fits.
  fileSize: MAX_INQUIRY_FILE_BYTES + 1,
  files: 1_000,
  // Counted by `createBodyLimit`.
  parts: Number.POSITIVE_INFINITY,
  headerPairs: 20,
} as const;

export interface MultipartForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly AttachedFile[];
  readonly faults: readonly FormFault[];
  /** The number of files in the form, sealed or not. */
  readonly chosen: number;
  /** True if the form was longer than its sender may send, so that its end is missing. */
  readonly isCut: boolean;
}

/** Called at the first file, with the fields that precede it. Reading the rest of the form depends on what it returns. */
type FormReceiver = (fields: ReadonlyMap<string, string>) => Promise<{
  /** False for a sender who has neither paid for a form nor sent this one before. */
  readonly isKnown: boolean;
  /** Null if nothing may be sealed. */
  readonly sealer: ArrivalSealer | null;
}>;

export async function readMultipartForm(
  request: FastifyRequest,
  receive: FormReceiver,
): Promise<MultipartForm> {
  const { raw } = request;
  const fields = new Map<string, string>();
  const reader = createPartReader(request);
  let nextPart = reader.readNext();
  const limit = createBodyLimit(raw, UNKNOWN_SENDER_SIZE);
  let isUnknown = false;
  const collector = createFileCollector(fields, async () => {
    // Otherwise hundreds of small files would be parsed while this waits.
    raw.pause();
    const { isKnown, sealer } = await receive(fields);
    isUnknown = !isKnown;
    limit.raise(isKnown ? FORM_SIZE : { ...UNKNOWN_SENDER_SIZE, parts: Number.POSITIVE_INFINITY });
    if (isUnknown) raw.unpipe();
    raw.resume();
    return sealer;
  });
  const readAll = async (): Promise<boolean> => {
    let textLength = 0;
    for (let part = await nextPart; !part.done; part = await nextPart) {
      if (part.value.type === 'file') await collector.add(part.value);
      else textLength += setField(fields, part.value);
      if (textLength > MAX_FORM_TEXT) throw new ServiceError('payload_too_large');
      if (isUnknown) {
        await finished(raw).catch(() => undefined);
        return true;
      }
      nextPart = reader.readNext();
    }
    return false;
  };
  const isCut = await Promise.race([readAll(), limit.exceeded, reader.stalled]);
  return { fields, ...collector.getResult(), isCut };
}

const stalls = createDeadlines<(error: Error) => void>((refuse) =>
  refuse(new ServiceError('malformed_request')),
);

/** The parser waits forever for a part whose headers do not end, so `stalled` rejects then. */
function createPartReader(request: FastifyRequest) {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const parts = readParts(request);
  let isWaiting = false;
  const watch = (): void => {
    if (isWaiting && request.raw.readableEnded) stalls.set(reject, STALL_MS);
  };
  request.raw.once('end', watch);
  const readNext = async (): Promise<IteratorResult<Multipart>> => {
    isWaiting = true;
    watch();
    try {
      return await parts.next();
    } finally {
      isWaiting = false;
      stalls.delete(reject);
    }
  };
  return { readNext, stalled };
}

function setField(fields: Map<string, string>, part: MultipartValue): number {
  if (part.valueTruncated) throw new ServiceError('payload_too_large');
  const value = String(part.value);
  fields.set(part.fieldname, value);
  return value.length;
}

async function* readParts(request: FastifyRequest): AsyncGenerator<Multipart> {
  try {
    yield* request.parts({ limits: formLimits });
  } catch (error) {
    throw toBodyError(error);
  }
}

/** A body that is cut off, malformed or has too many parts is an error of the client, not of the server. */
function toBodyError(error: unknown): ServiceError {
  const { statusCode } = error as { statusCode?: number };
  return new ServiceError(statusCode === 413 ? 'payload_too_large' : 'malformed_request', { cause: error });
}

function createFileCollector(
  fields: ReadonlyMap<string, string>,
  createSealer: () => Promise<ArrivalSealer | null>,
) {
  const files: AttachedFile[] = [];
  const faults: FormFault[] = [];
  let sealer: ArrivalSealer | null | undefined;
  let chosen = 0;
  let total = 0;

  const sealFilePart = async ({ filename, mimetype, file }: MultipartFile): Promise<void> => {
    if (!sealer) return;
    const attached = await sealer.addFile({
      name: filename,
      mime: mimetype,
      content: ReadableStream.from(readFileContent(file)),
      keepHiddenData: isTicked(fields, KEEP_EVIDENCE_CONTROL),
    });
    if (file.truncated) throw new SealError('too_large');
    if (attached.size === 0) throw new SealError('file_empty');
    files.push(attached);
    total += attached.size;
  };

  return {
    add: async (part: MultipartFile): Promise<void> => {
      // A browser sends a file without a name if none was chosen.
      if (part.filename) {
        chosen += 1;
        if (sealer === undefined) sealer = await createSealer();
        const fault = faults.length > 0 ? null : findFileLimitFault(part, chosen, total);
        if (fault) faults.push(fault);
        if (faults.length === 0)
          await sealFilePart(part).catch((error: unknown) => faults.push(toFileFault(error, part)));
      }
      part.file.resume();
    },
    getResult: () => ({ files, faults, chosen }),
  };
}

/** A reader that stops early must not destroy the stream: the parser would stop too and lose the later fields. */
async function* readFileContent(file: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* file.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw toBodyError(error);
  }
}

function findFileLimitFault({ filename }: MultipartFile, chosen: number, total: number): FormFault | null {
  if (countCharacters(filename) > MAX_FILE_NAME_LENGTH) {
    const fault = { key: 'fault.files.name_long', values: { max: MAX_FILE_NAME_LENGTH } };
    return toFilesFault('fault.in_file', { number: chosen, fault });
  }
  if (chosen > MAX_INQUIRY_FILES) return toFilesFault('fault.files.too_many', { max: MAX_INQUIRY_FILES });
  if (total > MAX_INQUIRY_TOTAL_BYTES)
    return toFilesFault('fault.files.too_large', { max: MAX_INQUIRY_TOTAL_MIB });
  return null;
}

function toFileFault(error: unknown, { filename: name }: MultipartFile): FormFault {
  if (!(error instanceof SealError)) throw error;
  if (error.code === 'too_large')
    return toFilesFault('fault.files.larger', { name, max: MAX_INQUIRY_FILE_MIB });
  return toFilesFault('fault.files.named', { name, fault: { key: `problem.${error.code}` } });
}

function toFilesFault(key: string, values: UnsaidSentence['values'] = {}): FormFault {
  return { field: 'files', message: { key, values } };
}
