/** Reads a form with files as a stream: text into memory, files through the sealer, without temporary files. */
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

const MAX_TEXT_LENGTH = 512 * 1024;

/** Surplus files are read and dropped, so that the fields after them are not lost. */
const formLimits = {
  fieldNameSize: 64,
  fieldSize: 128 * 1024,
  fields: 64,
  // One byte more than allowed, to distinguish a file that is too large from one that just fits.
  fileSize: MAX_INQUIRY_FILE_BYTES + 1,
  files: 1_000,
  parts: 1_064,
  headerPairs: 20,
} as const;

export interface MultipartForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly AttachedFile[];
  readonly faults: readonly FormFault[];
  /** The number of files in the form, sealed or not. */
  readonly chosen: number;
}

/** Called at the first file, with the fields that precede it. Returns null if nothing may be sealed. */
export type FileSealerFactory = (fields: ReadonlyMap<string, string>) => Promise<ArrivalSealer | null>;

export async function readMultipartForm(
  request: FastifyRequest,
  createSealer: FileSealerFactory,
): Promise<MultipartForm> {
  const fields = new Map<string, string>();
  const collector = createFileCollector(fields, createSealer);
  let textLength = 0;
  for await (const part of readParts(request)) {
    if (part.type === 'file') {
      await collector.add(part);
      continue;
    }
    const value = String(part.value);
    textLength += value.length;
    if (textLength > MAX_TEXT_LENGTH || part.valueTruncated) throw new ServiceError('payload_too_large');
    fields.set(part.fieldname, value);
  }
  return { fields, ...collector.getResult() };
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

function createFileCollector(fields: ReadonlyMap<string, string>, createSealer: FileSealerFactory) {
  const files: AttachedFile[] = [];
  const faults: FormFault[] = [];
  let sealer: ArrivalSealer | null | undefined;
  let chosen = 0;
  let total = 0;

  const sealFilePart = async ({ filename, mimetype, file }: MultipartFile): Promise<void> => {
    sealer ??= await createSealer(fields);
    if (!sealer) return;
    const attached = await sealer.addFile({
      name: filename,
      mime: mimetype,
      content: ReadableStream.from(readFileContent(file)),
      keepHiddenData: isTicked(fields, KEEP_EVIDENCE_CONTROL),
    });
    if (file.truncated) throw new SealError('too_large');
    files.push(attached);
    total += attached.size;
  };

  return {
    add: async (part: MultipartFile): Promise<void> => {
      // A browser sends a file without a name if none was chosen.
      if (part.filename) {
        chosen += 1;
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

/** A reader that stops early must not destroy the stream: the parser would stop too, and lose the fields that follow. */
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
