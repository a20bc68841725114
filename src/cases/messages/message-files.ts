/** Files that the buyer sends with a message: checked as far as possible without a key, then stored with the message. */
import { ServiceError } from '#platform/errors.ts';
import { MAX_MESSAGE_FILES, MAX_MESSAGE_FILES_MIB, toMessageFileSeq } from '#seal/case/message.ts';
import { isSealedFileSize } from '#seal/files/sealed-file.ts';
import { MAX_INQUIRY_FILE_BYTES, MAX_INQUIRY_FILES } from '#seal/form/inquiry-files.ts';
import type { StoredObject } from '#store/cases/objects.ts';
import { bindObject } from '#store/cases/staged-objects.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import type { Records } from '#store/schema/tables.ts';
import { MAX_PADDING_FACTOR, requireSealedUpload, type Upload } from '../intake/uploads.ts';

const KIND = 'buyer-message-file.v1';
const MAX_SEALED_BYTES = MAX_MESSAGE_FILES_MIB * 1024 * 1024 * MAX_PADDING_FACTOR;

export interface MessageFiles {
  readonly uploads: readonly Upload[];
  readonly uploader: string;
}

/** Uploads for messages belong to every caller who can find the case. */
export function deriveCaseUploader(keyring: Keyring, caseId: string): string {
  return keyring.tag('upload holder', `case ${caseId}`);
}

/** `stored` lists the objects of the case; its message files and the uploads must not exceed the limits of a case. */
export async function bindMessageFiles(
  records: Records,
  { uploads, uploader }: MessageFiles,
  { caseId, seq, now }: { readonly caseId: string; readonly seq: number; readonly now: number },
  stored: readonly StoredObject[],
): Promise<void> {
  if (uploads.length === 0) return;
  requireFittingSizes(uploads, stored);
  for (const [index, upload] of uploads.entries()) {
    await requireSealedUpload(records, upload);
    const place = { caseId, kind: KIND, seq: toMessageFileSeq(seq, index), size: upload.size, now } as const;
    if (!(await bindObject(records, { id: upload.id, uploader }, place)))
      throw new ServiceError('upload_incomplete');
  }
}

function requireFittingSizes(uploads: readonly Upload[], stored: readonly StoredObject[]): void {
  const fits =
    uploads.length <= MAX_INQUIRY_FILES &&
    uploads.every(({ size }) => isSealedFileSize(size, MAX_INQUIRY_FILE_BYTES));
  if (!fits) throw new ServiceError('not_sealed');
  const files = [...uploads, ...stored.filter(({ kind }) => kind === KIND)];
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > MAX_MESSAGE_FILES || total > MAX_SEALED_BYTES)
    throw new ServiceError('payload_too_large', {
      detail: `All messages of a case together may have ${MAX_MESSAGE_FILES} files of ${MAX_MESSAGE_FILES_MIB} MiB.`,
    });
}
