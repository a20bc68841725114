/** Reports whether the process is running (`/health`) and whether it can handle requests (`/ready`). */
import { Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app-type.ts';
import { describeObject } from '#platform/http/shapes.ts';
import type { Services } from '#services.ts';
import { reportReadiness } from '#watch/readiness.ts';

const Health = describeObject(
  { status: Type.Literal('ok', { description: 'The process runs.' }) },
  { title: 'Health' },
);
const Readiness = describeObject(
  { status: Type.Literal('ready', { description: 'Requests are handled.' }) },
  { title: 'Readiness' },
);

export function addHealthRoutes(app: App): void {
  app.get(
    '/health',
    {
      config: { access: 'public', anyOrigin: true, liveness: true },
      schema: {
        operationId: 'getHealth',
        tags: ['service'],
        summary: 'Reports whether the process is running',
        description: 'Depends on nothing else and responds even under load.',
        response: { 200: Health },
      },
    },
    (_request, reply) => {
      reply.send({ status: 'ok' });
    },
  );
}

/** Reports only ready or not: the reason is for the operator (`src/watch/management.ts`). */
export function addReadinessRoutes(
  app: App,
  services: Pick<Services, 'drain' | 'store' | 'clockGuard' | 'keyring' | 'sealingKeys'>,
): void {
  app.get(
    '/ready',
    {
      config: { access: 'public', anyOrigin: true, problems: ['not_ready'] },
      schema: {
        operationId: 'getReadiness',
        tags: ['service'],
        summary: 'Reports whether the service can handle requests',
        description:
          'The database responds and has every table, the last periodic write to it succeeded a short time ago, there is no clock skew, the sealing keys are loaded and those of today, and no master key is missing. Nothing is written for this request.',
        response: { 200: Readiness },
      },
    },
    async () => {
      const { status } = await reportReadiness(services);
      // The reason is already in the log.
      if (status !== 'ready') throw new ServiceError('not_ready');
      return { status };
    },
  );
}
