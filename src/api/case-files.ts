/** What lies sealed in a case, as it lies: the inquiry, its files, the finding and its files. */

import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { deriveCaseViewer, requireOwnCase } from '#cases/access.ts';
import { readSealedCase } from '#cases/sealed-case.ts';
import { requireCaller } from '#oauth/guard.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { httpLimits } from '#platform/http/limits.ts';
import { describeOperation } from '#platform/http/operation.ts';
import { closedObject, IdSchema } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';

/** A finding may have fifty. */
const FILES_PER_MINUTE = 120;
const BYTES = 'application/octet-stream';

export function addCaseFileRoutes(app: App, services: Pick<Services, 'keyring' | 'store'>): void {
  app.get(
    '/cases/:case/files/:file',
    {
      config: {
        access: 'case:read',
        produces: BYTES,
        rateLimit: { max: FILES_PER_MINUTE },
        problems: ['case_unknown', 'not_found'],
      },
      handlerTimeout: httpLimits.uploadMs,
      schema: {
        ...describeOperation({
          operationId: 'getCaseFile',
          tag: 'cases',
          summary: 'Downloads a sealed file of the case, such as the finding',
          description: '`getCase` lists the files. Each is an age file that the key of the case opens.',
        }),
        params: Type.Object({ case: IdSchema, file: IdSchema }, closedObject),
        response: {
          200: {
            description: 'An age file.',
            content: { [BYTES]: { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) } },
          },
        },
      },
    },
    async (request, reply) => {
      const viewer = await deriveCaseViewer(services, requireCaller(request));
      const found = await requireOwnCase(services.store.records, request.params.case, viewer);
      const file = await readSealedCase(services, found);
      const object = file.objects.find(({ id }) => id === request.params.file);
      if (!object) throw new ServiceError('not_found');
      return reply
        .type(BYTES)
        .header('content-length', object.size)
        .send(Readable.fromWeb(file.stream(object)));
    },
  );
}
