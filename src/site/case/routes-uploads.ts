/** Receives the sealed files of a message in pieces, from the script of the case page. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { MAX_UPLOAD_PIECES, storeUploadPiece } from '#cases/intake/uploads.ts';
import { deriveCaseUploader } from '#cases/messages/message-files.ts';
import { requireCaseByLookup } from '#cases/sealing/sealed-case.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { addByteParser } from '#platform/http/byte-body.ts';
import { IdSchema } from '#platform/http/shapes.ts';
import { SealError } from '#seal/core/seal-error.ts';
import { computeLookupHash } from '#seal/core/words.ts';
import type { Services } from '#services.ts';
import type { Case } from '#store/cases/cases.ts';
import { MAX_STORED_PIECE_BYTES } from '#store/cases/objects.ts';
import { LOOKUP_TOKEN_HEADER, SEALED_CASE_PATHS } from '#wire/case-page.ts';

const UploadPieceParams = Type.Object({
  upload: IdSchema,
  piece: Type.String({ pattern: '^(0|[1-9][0-9]{0,2})$' }),
});

/** Call it in the scope of the sealed routes, which checks that the request comes from our page. */
export function addCaseUploadRoutes(app: App, services: Pick<Services, 'clock' | 'keyring' | 'store'>): void {
  addByteParser(app, MAX_STORED_PIECE_BYTES);
  app.put(
    `${SEALED_CASE_PATHS.uploads}/:upload/:piece`,
    {
      config: { access: 'public', upload: true, budget: 'pieces' },
      bodyLimit: MAX_STORED_PIECE_BYTES,
      schema: { params: UploadPieceParams },
      // Checked before the body is read, so that a caller without a case cannot make us buffer it.
      onRequest: async (request) => void (await requireUploadCase(services, request)),
    },
    async (request, reply) => {
      const { upload, piece } = request.params;
      if (Number(piece) >= MAX_UPLOAD_PIECES || !Buffer.isBuffer(request.body))
        throw new ServiceError('payload_too_large');
      const { id } = await requireUploadCase(services, request);
      const uploader = deriveCaseUploader(services.keyring, id);
      await storeUploadPiece(services, uploader, { upload, piece: Number(piece), bytes: request.body });
      return reply.code(204).send();
    },
  );
}

async function requireUploadCase(
  services: Pick<Services, 'clock' | 'store'>,
  { headers }: FastifyRequest,
): Promise<Case> {
  return await requireCaseByLookup(services, readLookupHash(headers[LOOKUP_TOKEN_HEADER]));
}

function readLookupHash(token: string | readonly string[] | undefined): string {
  try {
    return computeLookupHash(String(token));
  } catch (error) {
    if (error instanceof SealError) throw new ServiceError('case_unknown');
    throw error;
  }
}
