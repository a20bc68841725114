/** Downloads of the sealed files of a case: the inquiry, the finding and their attachments. */
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { deriveCaseViewer, requireOwnCase } from '#cases/access.ts';
import { recordOpening } from '#cases/desk/week-counts.ts';
import { readContentsForBuyer } from '#cases/sealing/sealed-case.ts';
import { requireCaller } from '#oauth/guard.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { OCTET_STREAM } from '#platform/http/byte-body.ts';
import { httpLimits } from '#platform/http/limits/limits.ts';
import { describeOperation } from '#platform/http/operation.ts';
import { describeObject, IdSchema } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';
import { CaseIdSchema } from './case-view.ts';

const CaseFileParams = describeObject({
  case: CaseIdSchema,
  file: Type.String({ ...IdSchema, description: 'The `id` of the file, as in `getCase`.' }),
});

export function addCaseFileRoutes(app: App, services: Pick<Services, 'clock' | 'keyring' | 'store'>): void {
  app.get(
    '/cases/:case/files/:file',
    {
      config: {
        access: 'case:read',
        produces: OCTET_STREAM,
        answerMs: httpLimits.uploadMs,
        budget: 'caseFiles',
        problems: ['case_unknown', 'not_found'],
      },
      schema: {
        ...describeOperation({
          operationId: 'getCaseFile',
          tag: 'cases',
          summary: 'Downloads a sealed file of the case, such as the finding',
          description: '`getCase` lists the files. Each is an age file that the key of the case opens.',
        }),
        params: CaseFileParams,
        response: {
          200: {
            description: 'An age file.',
            content: {
              [OCTET_STREAM]: { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const viewer = await deriveCaseViewer(services, requireCaller(request));
      const now = services.clock.now();
      const record = await requireOwnCase(services.store.records, request.params.case, viewer, now);
      const { objects, stream } = await readContentsForBuyer(services, record, now);
      const object = objects.find(({ id }) => id === request.params.file);
      if (!object) throw new ServiceError('not_found', { detail: 'The case has no file with this id.' });
      await recordOpening(services, record, [object]);
      return reply
        .type(OCTET_STREAM)
        .header('content-length', object.size)
        .send(Readable.fromWeb(stream(object)));
    },
  );
}
