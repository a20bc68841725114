/** Routes that exist for callers from certain networks alone: for everybody else the router does not know them. */
import type { RouteOptions } from 'fastify';
import type { Config } from '#platform/config.ts';
import { createNetworkCheck } from '#platform/networks.ts';
import type { App } from './app.ts';
import { createCallerAddressReader } from './caller-address.ts';

const STRATEGY = 'network';
const INSIDE = 'inside';

/**
 * Before any route is added. A constraint of the router, and no hook: so a request from elsewhere takes every step of one
 * to an unknown path, whatever its path is encoded like.
 */
export function addNetworkGate(app: App, networks: readonly string[], tls: Config['tls']): void {
  const isInside = createNetworkCheck(networks);
  const readCallerAddress = createCallerAddressReader(tls);
  app.addConstraintStrategy({
    name: STRATEGY,
    storage: () => new Map(),
    deriveConstraint: (request) => {
      const address = readCallerAddress(request);
      return address !== null && isInside(address) ? INSIDE : undefined;
    },
    validate: () => undefined,
  });
}

/** All routes that are added to this scope from now on are behind the gate. */
export function requireNetwork(scope: App): void {
  scope.addHook('onRoute', (route: RouteOptions) => {
    route.constraints = { ...route.constraints, [STRATEGY]: INSIDE };
  });
}
