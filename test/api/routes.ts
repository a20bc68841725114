/** Every operation as its route states it: the source of the description, of the matrix and of the fuzz. */
import { type FastifyInstance, fastify, type RouteOptions } from 'fastify';
import type { ApiParts } from '#api/api-parts.ts';
import { addOperations } from '#api/operations.ts';

export interface Operation {
  readonly method: string;
  /** As it is registered, with `:names` in it. */
  readonly path: string;
  readonly route: RouteOptions;
}

export async function operationsOf(parts: ApiParts): Promise<readonly Operation[]> {
  const operations: Operation[] = [];
  const app: FastifyInstance = fastify({ exposeHeadRoutes: false });
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) operations.push({ method, path: route.url, route });
  });
  await addOperations(app, parts);
  return operations;
}
