/** Every operation as its route states it: the source of the description, of the matrix and of the fuzz. */
import { type FastifyInstance, fastify, type RouteOptions } from 'fastify';
import { addApiRoutes } from '#api/operations.ts';
import type { Services } from '#services.ts';

export interface ApiOperation {
  readonly method: string;
  /** As it is registered, with `:names` in it. */
  readonly path: string;
  readonly route: RouteOptions;
}

export async function listApiOperations(services: Services): Promise<readonly ApiOperation[]> {
  const operations: ApiOperation[] = [];
  const app: FastifyInstance = fastify({ exposeHeadRoutes: false });
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) operations.push({ method, path: route.url, route });
  });
  await addApiRoutes(app, services);
  return operations;
}
