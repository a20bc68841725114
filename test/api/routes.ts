/** Every operation as its route states it: the source of the description, of the matrix and of the fuzz. */
import { type FastifyInstance, fastify, type RouteOptions } from 'fastify';
import { addOperations } from '#api/operations.ts';
import type { Services } from '#services.ts';

export interface Operation {
  readonly method: string;
  /** As it is registered, with `:names` in it. */
  readonly path: string;
  readonly route: RouteOptions;
}

export async function operationsOf(services: Services): Promise<readonly Operation[]> {
  const operations: Operation[] = [];
  const app: FastifyInstance = fastify({ exposeHeadRoutes: false });
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) operations.push({ method, path: route.url, route });
  });
  await addOperations(app, services);
  return operations;
}
