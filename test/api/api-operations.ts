/** Lists every operation of the API as its route declares it, for the tests that cover all of them. */
import { type FastifyInstance, fastify, type RouteOptions } from 'fastify';
import { addApiRoutes } from '#api/operations.ts';
import type { Services } from '#services.ts';

export interface ApiOperation {
  readonly method: string;
  /** The route's path, with `:names` for parameters. */
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
