/** The desk API: every operation for investigators, under {base_url}/desk and only from the desk's networks. */
import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import type { Config } from '#platform/config/config.ts';
import type { App } from '#platform/http/app-type.ts';
import { requireNetwork } from '#platform/http/network-gate.ts';
import type { Services } from '#services.ts';
import { addDeskAgentRoutes } from './agents.ts';
import { addDeskAuditRoutes } from './audit.ts';
import { addDeskCaseFileRoutes, addDeskQueueRoutes } from './cases.ts';
import { addDeskGuard, toDeskServices } from './guard.ts';
import {
  addDeskContactRoutes,
  addDeskNumberRoutes,
  addDeskOrderRoutes,
  addDeskRefundRoutes,
} from './lists.ts';
import { addDeskResealingRoutes } from './resealing.ts';
import { addDeskSessionRoutes } from './sessions.ts';
import { addDeskUploadRoutes, addDeskWritingRoutes } from './writing.ts';

const DESK_PATH = '/desk';
const Operations = Type.Object({ operations: Type.Array(Type.String(), { maxItems: 100 }) });

export async function addDeskRoutes(app: App, services: Services, config: Config): Promise<void> {
  const deskServices = toDeskServices(services, config);
  const prefix = services.addresses.apiPath + DESK_PATH;
  await app.register(
    async (scope) => {
      requireNetwork(scope);
      const operations = collectOperations(scope);
      addDeskGuard(scope, deskServices);
      scope.get('', { config: { access: 'desk' }, schema: { response: { 200: Operations } } }, async () => ({
        operations: [...operations],
      }));
      addDeskSessionRoutes(scope, deskServices);
      addDeskQueueRoutes(scope, deskServices);
      addDeskCaseFileRoutes(scope, deskServices);
      addDeskWritingRoutes(scope, deskServices);
      addDeskContactRoutes(scope, deskServices);
      addDeskNumberRoutes(scope, deskServices);
      addDeskAgentRoutes(scope, deskServices);
      addDeskOrderRoutes(scope, deskServices);
      addDeskRefundRoutes(scope, deskServices);
      addDeskAuditRoutes(scope, deskServices);
      addDeskResealingRoutes(scope, deskServices);
      // Needs its own scope, because it accepts bytes only.
      await scope.register(async (uploads) => addDeskUploadRoutes(uploads, deskServices));
    },
    { prefix },
  );
}

/** Collects the list of operations for signed-in investigators, which no public document contains. */
function collectOperations(scope: App): readonly string[] {
  const operations: string[] = [];
  scope.addHook('onRoute', ({ method, url }: RouteOptions) => {
    if (method !== 'HEAD') operations.push(`${method} ${url}`);
  });
  return operations;
}
