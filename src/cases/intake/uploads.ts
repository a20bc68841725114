/** Uploads: sealed objects sent in pieces before their case exists, and deleted if no case uses them. */
import type { Voucher } from '#payments/redeem.ts';
import { ServiceError } from '#platform/errors.ts';
import { generateId } from '#platform/text/ids.ts';
import { formatDurationInWords } from '#platform/text/spelled-duration.ts';
import { repeatInTurns } from '#platform/turns.ts';
import { countRecipients } from '#seal/core/age.ts';
import { createByteReader } from '#seal/core/byte-stream.ts';
import type { Services } from '#services.ts';
import {
  DISCARDED_AT,
  deleteStagedObject,
  deleteUpload,
  listStaleObjects,
  PIECES_AT_ONCE,
  UPLOAD_LIFETIME_MS,
} from '#store/cases/object-deletion.ts';
import { computeObjectSize, findObjectPiece, MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { countStagedPieces, stagePiece } from '#store/cases/staged-objects.ts';
import type { Keyring } from '#store/keys/keyring.ts';
import { MAX_UPLOADED_PIECES } from '#store/limits/storage-caps.ts';
import type { Records } from '#store/schema/tables.ts';
import type { UploadedPart } from '#wire/inquiry-requests.ts';

/** More pieces than the largest file of an inquiry has. */
export const MAX_UPLOAD_PIECES = 200;

/** The largest factor by which sealing lengthens files near their total limit; padding lengthens tiny files more. */
export const MAX_PADDING_FACTOR = 1.13;

export interface Upload {
  readonly id: string;
  readonly size: number;
}

export function toUpload({ upload, size }: UploadedPart): Upload {
  return { id: upload, size };
}

interface UploadPiece {
  readonly upload: string;
  readonly piece: number;
  readonly bytes: Uint8Array;
}

/** Uploads belong to the sender who can prove the payment; each kind of proof gives its own uploader. */
export function deriveUploader(keyring: Keyring, voucher: Voucher): string {
  return keyring.tag(
    'upload holder',
    'sessionId' in voucher ? voucher.sessionId : `order ${voucher.orderId}`,
  );
}

export async function storeUploadPiece(
  { clock, store }: Pick<Services, 'clock' | 'store'>,
  uploader: string,
  { upload, piece, bytes }: UploadPiece,
): Promise<void> {
  const detail = 'A piece is empty; an empty file cannot be sent.';
  if (bytes.length === 0) throw new ServiceError('validation_failed', { detail });
  if (bytes.length > MAX_STORED_PIECE_BYTES) throw new ServiceError('payload_too_large');
  await store.gate.admitUpload(bytes.length, () =>
    store.transaction(async (records) => {
      const staged = { objectId: upload, piece, bytes };
      const place = { uploader, now: clock.now(), most: MAX_UPLOADED_PIECES };
      if (await stagePiece(records, staged, place)) return;
      await requireUploadRoom(records, uploader, { upload, piece });
      throw new ServiceError('not_found');
    }, 'one statement'),
  );
}

/** Throws if there was no room for a piece. A repeated piece needs none; a few concurrent ones may exceed the limit. */
async function requireUploadRoom(
  records: Records,
  uploader: string,
  { upload, piece }: Pick<UploadPiece, 'upload' | 'piece'>,
): Promise<void> {
  const full = (await countStagedPieces(records, uploader)) >= MAX_UPLOADED_PIECES;
  if (full && !(await findObjectPiece(records, upload, piece)))
    throw new ServiceError('payload_too_large', {
      detail: `Too much was uploaded for one payment; unused uploads are deleted after ${formatDurationInWords(UPLOAD_LIFETIME_MS)}.`,
    });
}

/** Stores a sealed stream as it arrives; if it breaks off, its pieces are deleted. */
export async function storeUpload(
  services: Pick<Services, 'clock' | 'store'>,
  uploader: string,
  sealed: ReadableStream<Uint8Array>,
): Promise<Upload> {
  const id = generateId();
  const reader = createByteReader(sealed);
  let size = 0;
  try {
    for (let piece = 0; ; piece += 1) {
      const { length } = await reader.peek(MAX_STORED_PIECE_BYTES);
      if (length === 0) return { id, size };
      size += length;
      const bytes = await reader.readExactly(length);
      await storeUploadPiece(services, uploader, { upload: id, piece, bytes });
    }
  } catch (error) {
    await discardUpload(services, id);
    throw error;
  } finally {
    await reader.release();
  }
}

/** The upload must be complete, and plain text sent by mistake must not be stored as if it were sealed. */
export async function requireSealedUpload(records: Records, { id, size }: Upload): Promise<void> {
  const firstPiece = await findObjectPiece(records, id, 0);
  if (!firstPiece || (await computeObjectSize(records, id)) !== size)
    throw new ServiceError('upload_incomplete');
  if (countRecipients(firstPiece) !== 1) throw new ServiceError('not_sealed');
}

export async function discardUpload({ store }: Pick<Services, 'store'>, id: string): Promise<void> {
  await repeatInTurns(
    async () =>
      (await store.transaction((records) => deleteUpload(records, id, PIECES_AT_ONCE))) === PIECES_AT_ONCE,
  );
}

export async function sweepUploads({ clock, store }: Pick<Services, 'clock' | 'store'>): Promise<void> {
  const before = clock.now() - UPLOAD_LIFETIME_MS;
  await repeatInTurns(() => store.transaction((records) => deleteStaleUploads(records, before)));
}

/** Deletes the objects that were removed from cases, without waiting for the sweep. */
export async function deleteDiscardedObjects({ store }: Pick<Services, 'store'>): Promise<void> {
  const before = DISCARDED_AT + 1;
  await repeatInTurns(
    async () =>
      (await listStaleObjects(store.records, before, 1)).length > 0 &&
      (await store.transaction((records) => deleteStaleUploads(records, before))),
  );
}

/** Deletes many small uploads, or a part of a large one. Returns false once none are left. */
async function deleteStaleUploads(records: Records, before: number): Promise<boolean> {
  let left = PIECES_AT_ONCE;
  for (const number of await listStaleObjects(records, before, PIECES_AT_ONCE)) {
    left -= await deleteStagedObject(records, number, left);
    if (left <= 0) return true;
  }
  return false;
}
