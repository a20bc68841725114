/** Seals chosen files for their places in a case, without their hidden data, and uploads them. */
import { toAttachedFileError } from '#browser/rpc/fault.ts';
import type { ProgressCallback } from '#browser/rpc/jobs.ts';
import type { CaseKey } from '#seal/core/case-key.ts';
import type { SealedPlace } from '#seal/core/envelope.ts';
import { stripImageMetadata } from '#seal/files/image-metadata.ts';
import { computeSealedFileSize, sealFile } from '#seal/files/sealed-file.ts';
import type { FormFault } from '#seal/form/form-fields.ts';
import { MAX_INQUIRY_FILE_BYTES } from '#seal/form/inquiry-files.ts';
import { FILES_CONTROL } from '#seal/form/inquiry-sections.ts';
import type { UploadedPart } from '#wire/inquiry-requests.ts';
import type { SealedUploads, UploadMeter, UploadTarget } from './sealed-uploads.ts';

export interface PlacedFiles {
  readonly key: CaseKey;
  readonly files: readonly File[];
  /** Whether hidden data stays in them. */
  readonly asEvidence: boolean;
  readonly toPlace: (index: number) => SealedPlace;
}

export async function sendFiles(
  uploads: SealedUploads,
  { key, files, asEvidence, toPlace }: PlacedFiles,
  target: UploadTarget,
  meter: UploadMeter,
): Promise<UploadedPart[]> {
  const sent: UploadedPart[] = [];
  for (const [index, file] of files.entries()) {
    const { name, type: mime, size, lastModified } = file;
    const place = toPlace(index);
    const seal = async () => {
      const content = asEvidence ? file.stream() : (await stripImageMetadata(file.stream())).content;
      return await sealFile(key, place, { name, mime, content, maxBytes: MAX_INQUIRY_FILE_BYTES });
    };
    const part = {
      key: JSON.stringify([place, asEvidence, name, mime, size, lastModified]),
      expectedBytes: computeSealedFileSize(key, place, { name, mime }, size),
      seal,
    };
    try {
      sent.push(await uploads.uploadOnce(part, target, meter));
    } catch (error) {
      throw toAttachedFileError(error, name);
    }
  }
  return sent;
}

export function computeSealedFilesSize({ key, files, toPlace }: Omit<PlacedFiles, 'asEvidence'>): number {
  const sizes = files.map(({ name, type, size }, index) =>
    computeSealedFileSize(key, toPlace(index), { name, mime: type }, size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

export function createProgressMeter(total: number, progress: ProgressCallback): UploadMeter {
  let done = 0;
  const computeShare = () => Math.min(1, done / total);
  return {
    onUploaded: (bytes) => {
      done += bytes;
      progress(computeShare());
    },
    onWaiting: () => progress(computeShare(), true),
  };
}

export function listEmptyFileFaults(files: readonly File[]): FormFault[] {
  const empty = files.find(({ size }) => size === 0);
  if (!empty) return [];
  const values = { name: empty.name, fault: { key: 'problem.file_empty' } };
  return [{ field: FILES_CONTROL, message: { key: 'fault.files.named', values } }];
}
