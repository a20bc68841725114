/** Reads a form with files as it comes: text into memory, each file through the sealer, nothing to the disk. */
import type { Readable } from 'node:stream';
import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { ArrivalSealer } from '#cases/seal-on-arrival.ts';
import { ServiceError } from '#platform/errors.ts';
import { MAX_FILE_NAME_LENGTH } from '#seal/attached-file.ts';
import { countCharacters } from '#seal/fields.ts';
import { type FormFault, isTicked } from '#seal/form-fields.ts';
import {
  MAX_INQUIRY_FILE_BYTES,
  MAX_INQUIRY_FILE_MIB,
  MAX_INQUIRY_FILES,
  MAX_INQUIRY_TOTAL_BYTES,
  MAX_INQUIRY_TOTAL_MIB,
  tooManyInquiryFiles,
} from '#seal/inquiry-files.ts';
import type { AttachedFile } from '#seal/inquiry-form.ts';
import { KEEP_EVIDENCE_CONTROL } from '#seal/inquiry-sections.ts';
import { SealError } from '#seal/seal-error.ts';

const MOST_TEXT = 512 * 1024;

/** What one form may bring; files beyond the ten are read past, so that the rest of the form is not lost. */
const formLimits = {
  fieldNameSize: 64,
  fieldSize: 128 * 1024,
  fields: 64,
  // One more than allowed, so that a file which is too large can be told from one that just fits.
  fileSize: MAX_INQUIRY_FILE_BYTES + 1,
  files: 1_000,
  parts: 1_064,
  headerPairs: 20,
} as const;

export interface MultipartForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly AttachedFile[];
  readonly faults: readonly FormFault[];
  /** How many files were chosen, sealed or not. */
  readonly chosen: number;
}

/** Asked once, at the first file: the fields before it are known then. Null where nothing may be sealed. */
export type FileSealerFactory = (fields: ReadonlyMap<string, string>) => Promise<ArrivalSealer | null>;

export async function readMultipartForm(
  request: FastifyRequest,
  begin: FileSealerFactory,
): Promise<MultipartForm> {
  const fields = new Map<string, string>();
  const pile = createFileCollector(fields, begin);
  let text = 0;
  for await (const part of readParts(request)) {
    if (part.type === 'file') {
      await pile.add(part);
      continue;
    }
    const value = String(part.value);
    text += value.length;
    if (text > MOST_TEXT || part.valueTruncated) throw new ServiceError('payload_too_large');
    fields.set(part.fieldname, value);
  }
  return { fields, ...pile.all() };
}

async function* readParts(request: FastifyRequest): AsyncGenerator<Multipart> {
  try {
    yield* request.parts({ limits: formLimits });
  } catch (error) {
    throw toBodyError(error);
  }
}

/** A body that breaks off or makes no sense, and one of more parts than a form has: the sender's fault, not ours. */
function toBodyError(error: unknown): ServiceError {
  const { statusCode } = error as { statusCode?: number };
  return new ServiceError(statusCode === 413 ? 'payload_too_large' : 'malformed_request', { cause: error });
}

function createFileCollector(fields: ReadonlyMap<string, string>, begin: FileSealerFactory) {
  const files: AttachedFile[] = [];
  const faults: FormFault[] = [];
  let arrival: ArrivalSealer | null | undefined;
  let chosen = 0;
  let total = 0;

  const sealFilePart = async ({ filename, mimetype, file }: MultipartFile): Promise<void> => {
    arrival ??= await begin(fields);
    if (!arrival) return;
    const kept = await arrival.addFile({
      name: filename,
      mime: mimetype,
      content: ReadableStream.from(readFileContent(file)),
      keepHiddenData: isTicked(fields, KEEP_EVIDENCE_CONTROL),
    });
    if (file.truncated) throw new SealError('too_large');
    files.push(kept);
    total += kept.size;
  };

  return {
    add: async (part: MultipartFile): Promise<void> => {
      // A browser sends a file without a name where none was chosen.
      if (part.filename) {
        chosen += 1;
        const fault = faults.length > 0 ? null : findFileLimitFault(part, chosen, total);
        if (fault) faults.push(fault);
        if (faults.length === 0)
          await sealFilePart(part).catch((error: unknown) => faults.push(toFileFault(error, part)));
      }
      part.file.resume();
    },
    all: () => ({ files, faults, chosen }),
  };
}

/** Not destroyed by a reader that stops early: the parser would stop with it, and lose the fields that follow. */
async function* readFileContent(file: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* file.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw toBodyError(error);
  }
}

function findFileLimitFault({ filename }: MultipartFile, chosen: number, total: number): FormFault | null {
  if (countCharacters(filename) > MAX_FILE_NAME_LENGTH)
    return {
      field: 'files',
      message: `File ${chosen}: shorten its name to at most ${MAX_FILE_NAME_LENGTH} characters`,
    };
  if (chosen > MAX_INQUIRY_FILES) return { field: 'files', message: tooManyInquiryFiles };
  if (total > MAX_INQUIRY_TOTAL_BYTES)
    return { field: 'files', message: `All files together may have at most ${MAX_INQUIRY_TOTAL_MIB} MB` };
  return null;
}

function toFileFault(error: unknown, { filename }: MultipartFile): FormFault {
  if (!(error instanceof SealError)) throw error;
  if (error.code === 'too_large')
    return {
      field: 'files',
      message: `“${filename}” is larger than ${MAX_INQUIRY_FILE_MIB} MB; leave it out or make it smaller`,
    };
  return { field: 'files', message: `“${filename}”: ${error.message}` };
}
