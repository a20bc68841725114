/** Reports whether the process is running (`/health`) and whether it can handle requests (`/ready`). */
import { Type } from 'typebox';
import { requireCurrentSealingSet } from '#cases/sealing-set.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';
import { describeOperation } from '#platform/http/operation.ts';
import { closedObject } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';

const Health = Type.Object({ status: Type.Literal('ok') }, closedObject);
const Readiness = Type.Object({ status: Type.Literal('ready') }, closedObject);

/** Depends on no other service, so that it responds as long as the process can. */
export function addHealthRoutes(app: App): void {
  app.get(
    '/health',
    {
      config: { access: 'public', anyOrigin: true, liveness: true, rateLimit: false },
      schema: {
        ...describeOperation({
          operationId: 'getHealth',
          tag: 'service',
          summary: 'Reports whether the process is running',
          description: 'Depends on nothing else and responds even under load.',
        }),
        response: { 200: Health },
      },
    },
    (_request, reply) => {
      reply.send({ status: 'ok' });
    },
  );
}

/** Includes the sealing keys, because no case can be stored without them. */
export function addReadinessRoutes(
  app: App,
  { store, sealingKeys }: Pick<Services, 'store' | 'sealingKeys'>,
): void {
  app.get(
    '/ready',
    {
      config: { access: 'public', anyOrigin: true, problems: ['not_ready'] },
      schema: {
        ...describeOperation({
          operationId: 'getReadiness',
          tag: 'service',
          summary: 'Reports whether the service can handle requests',
          description:
            'The database responds, the last periodic write to it succeeded, and the sealing keys are loaded and those of today. Nothing is written for this request.',
        }),
        response: { 200: Readiness },
      },
    },
    async () => {
      await Promise.all([store.ping(), requireCurrentKeys(store, sealingKeys)]).catch((cause: unknown) => {
        throw new ServiceError('not_ready', { cause });
      });
      return { status: 'ready' } as const;
    },
  );
}

async function requireCurrentKeys(
  { records }: Services['store'],
  sealingKeys: Services['sealingKeys'],
): Promise<void> {
  await requireCurrentSealingSet(records, (await sealingKeys).set, null);
}
