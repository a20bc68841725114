/** Receives the sealed files of a finding in pieces, before the finding itself. */
import type { FastifyRequest } from 'fastify';
import { toDeliveryUploader } from '#cases/delivery.ts';
import { listDeskActs } from '#cases/desk/desk-acts.ts';
import { storeUploadPiece } from '#cases/intake/uploads.ts';
import { requireCase, requireNextState } from '#cases/states.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { addByteParser } from '#platform/http/byte-body.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { type DeskCaseParams, UPLOAD_PIECE_PATH } from './case-view.ts';
import type { DeskServices } from './desk-services.ts';
import { requireInvestigator, toDeskViewer } from './guard.ts';

interface UploadParams extends DeskCaseParams {
  readonly upload: string;
  readonly piece: string;
}

/** Needs its own Fastify scope, because it accepts bytes only. Uploads that no finding names are swept. */
export function addDeskUploadRoutes(scope: App, services: DeskServices): void {
  scope.removeAllContentTypeParsers();
  addByteParser(scope, MAX_STORED_PIECE_BYTES);
  scope.put<{ Params: UploadParams }>(
    UPLOAD_PIECE_PATH,
    {
      config: { access: 'desk', upload: true, budget: 'pieces' },
      bodyLimit: MAX_STORED_PIECE_BYTES,
    },
    async (request, reply) => {
      const { case: id, upload, piece } = request.params;
      if (!Buffer.isBuffer(request.body)) throw new ServiceError('unsupported_media_type');
      await requireDeliverable(services, id, request);
      await storeUploadPiece(services, toDeliveryUploader(id), {
        upload,
        piece: Number(piece),
        bytes: request.body,
      });
      return reply.code(204).send(null);
    },
  );
}

/** Checks the case before the upload, so that large files are not stored in vain. */
async function requireDeliverable(
  { clock, store }: DeskServices,
  id: string,
  request: FastifyRequest,
): Promise<void> {
  const viewer = toDeskViewer(requireInvestigator(request));
  const now = clock.now();
  const record = await requireCase(store.records, id, now);
  if (listDeskActs(record, viewer, now).includes('deliver')) return;
  requireNextState(record, 'deliver', 'desk');
  throw new ServiceError('case_held');
}
