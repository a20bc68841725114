/** Receives sealed files in pieces, from the script of a page. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { MAX_UPLOAD_PIECES, storeUploadPiece } from '#cases/intake/uploads.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { addByteParser } from '#platform/http/byte-body.ts';
import { IdSchema } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';

const UploadPieceParams = Type.Object({
  upload: IdSchema,
  piece: Type.String({ pattern: '^(0|[1-9][0-9]{0,2})$' }),
});

interface PieceRoute {
  readonly path: string;
  /** Throws before the body is read, so that a caller without a case or a payment cannot make us buffer it. */
  readonly requireSender: (request: FastifyRequest) => Promise<unknown>;
  readonly findUploader: (request: FastifyRequest) => string | Promise<string>;
}

/** Call it in the scope of a page's sealed routes, which checks that the request comes from our page. */
export function addPieceRoute(
  app: App,
  services: Pick<Services, 'clock' | 'store'>,
  { path, requireSender, findUploader }: PieceRoute,
): void {
  addByteParser(app, MAX_STORED_PIECE_BYTES);
  app.put(
    `${path}/:upload/:piece`,
    {
      config: { access: 'public', upload: true, budget: 'pieces' },
      bodyLimit: MAX_STORED_PIECE_BYTES,
      schema: { params: UploadPieceParams },
      onRequest: async (request) => void (await requireSender(request)),
    },
    async (request, reply) => {
      const { upload, piece } = request.params;
      if (Number(piece) >= MAX_UPLOAD_PIECES || !Buffer.isBuffer(request.body))
        throw new ServiceError('payload_too_large');
      const bytes = request.body;
      await storeUploadPiece(services, await findUploader(request), { upload, piece: Number(piece), bytes });
      return reply.code(204).send();
    },
  );
}
