/** Whether the process lives (`/health`) and whether it can do its work (`/ready`). */
import { Type } from 'typebox';
import type { Registry } from '#cases/registry.ts';
import { ServiceError } from '#platform/errors.ts';
import type { App } from '#platform/http/app.ts';

const Health = Type.Object({ status: Type.Literal('ok') });
const Readiness = Type.Object({ status: Type.Literal('ready') });

/** Asks nothing of any other part: it answers as long as the process can answer at all. */
export function addHealth(app: App): void {
  app.get(
    '/health',
    {
      config: { access: 'public', liveness: true, rateLimit: false },
      schema: { response: { 200: Health } },
    },
    (_request, reply) => {
      reply.send({ status: 'ok' });
    },
  );
}

/** Without sealing keys a case could not be kept, so they count too. */
export function addReadiness(app: App, { store, sealingKeys }: Registry): void {
  app.get('/ready', { config: { access: 'public' }, schema: { response: { 200: Readiness } } }, async () => {
    await Promise.all([store.ping(), sealingKeys]).catch((cause: unknown) => {
      throw new ServiceError('not_ready', { cause });
    });
    return { status: 'ready' } as const;
  });
}
