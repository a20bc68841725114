/** Receives sealed files for a paid order of the caller, in pieces that may be sent twice. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { deriveUploader, MAX_UPLOAD_PIECES, storeUploadPiece } from '#cases/intake/uploads.ts';
import { requireCaller } from '#oauth/guard.ts';
import { requireKnownPaidOrder } from '#payments/redeem.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { addByteParser, OCTET_STREAM } from '#platform/http/byte-body.ts';
import { describeDigits, describeObject, IdSchema } from '#platform/http/shapes.ts';
import { formatDurationInWords } from '#platform/text/spelled-duration.ts';
import type { Services } from '#services.ts';
import { UPLOAD_LIFETIME_MS } from '#store/cases/object-deletion.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';

const UploadPieceParams = describeObject({
  order: Type.String({ ...IdSchema, description: 'The id of the paid order.' }),
  upload: Type.String({
    ...IdSchema,
    description: 'Chosen by the caller: 128 random bits, new for each file.',
  }),
  piece: describeDigits({ minimum: 0, maximum: MAX_UPLOAD_PIECES - 1 }, 'Its position in the file, from 0.'),
});

/** Needs its own Fastify scope, because it accepts bytes only. */
export function addUploadRoutes(
  app: App,
  services: Pick<Services, 'clock' | 'paymentProvider' | 'keyring' | 'store'>,
): void {
  app.removeAllContentTypeParsers();
  addByteParser(app, MAX_STORED_PIECE_BYTES);
  const uploaders = new WeakMap<FastifyRequest, string>();
  app.put(
    '/orders/:order/uploads/:upload/:piece',
    {
      config: {
        access: 'case:write',
        upload: true,
        budget: 'pieces',
        problems: [
          'not_found',
          'payment_required',
          'order_redeemed',
          'order_refunded',
          'payment_held',
          'payload_too_large',
        ],
      },
      bodyLimit: MAX_STORED_PIECE_BYTES,
      schema: {
        operationId: 'putUploadPiece',
        tags: ['inquiries'],
        summary: 'Uploads a piece of a sealed file for an inquiry',
        description: `The order must belong to the caller and be \`paid\`. Every piece except the last is ${MAX_STORED_PIECE_BYTES / 1_024} KiB long; sending a piece again is harmless. \`createInquiry\` with the same \`order_id\` refers to the upload and its total size. Uploads that no inquiry refers to are deleted after ${formatDurationInWords(UPLOAD_LIFETIME_MS)}.`,
        consumes: [OCTET_STREAM],
        params: UploadPieceParams,
        response: { 204: Type.Null({ description: 'The piece is stored.' }) },
      },
      // Checks before the body is read, so that a caller without a payment cannot make us buffer it.
      preParsing: async (request) => {
        const { order: orderId } = request.params as { order: string };
        const { voucher } = await requireKnownPaidOrder(services, requireCaller(request), { orderId });
        uploaders.set(request, deriveUploader(services.keyring, voucher));
      },
    },
    async (request, reply) => {
      const { upload, piece } = request.params;
      if (!Buffer.isBuffer(request.body)) throw new ServiceError('unsupported_media_type');
      await storeUploadPiece(services, uploaders.get(request)!, {
        upload,
        piece: Number(piece),
        bytes: request.body,
      });
      return reply.code(204).send(null);
    },
  );
}
