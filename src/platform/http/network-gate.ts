/** Routes that exist only for callers from certain networks: for all others the router does not know them. */
import type { IncomingMessage } from 'node:http';
import type { RouteOptions } from 'fastify';
import type { Config } from '#platform/config/config.ts';
import { createNetworkCheck, LOOPBACK_NETWORKS } from '#platform/net/networks.ts';
import type { App } from './app.ts';
import { createCallerAddressReader } from './caller-address.ts';

const STRATEGY = 'network';
const INSIDE = 'inside';

/** Before any route. A router constraint, not a hook: a request from elsewhere takes the steps of an unknown path. */
export function addNetworkGate(app: App, networks: readonly string[], tls: Config['tls']): void {
  const isListed = createNetworkCheck(networks);
  const isLoopback = createNetworkCheck(LOOPBACK_NETWORKS);
  const readCallerAddress = createCallerAddressReader(tls);
  const isInside = (request: IncomingMessage) => {
    const caller = readCallerAddress(request);
    if (caller === null || !isListed(caller.address)) return false;
    // A caller with an address among the proxies can claim to be this machine; only the machine itself is believed.
    return !isLoopback(caller.address) || caller.proxies.every(isLoopback);
  };
  app.addConstraintStrategy({
    name: STRATEGY,
    storage: () => createGateStorage(isInside),
    deriveConstraint: (request) => request,
    validate: () => undefined,
  });
}

/**
 * The router looks routes up by the request itself, and only where the path leads to one behind the gate: no other
 * request pays for reading its address. While routes are added it looks them up by their constraint.
 */
function createGateStorage<Routes>(isInside: (request: IncomingMessage) => boolean) {
  let routes: Routes | null = null;
  return {
    get: (sought: unknown) => (sought === INSIDE || isInside(sought as IncomingMessage) ? routes : null),
    set: (_constraint: unknown, added: Routes) => {
      routes = added;
    },
  };
}

/** All routes that are added to this scope from now on are behind the gate. */
export function requireNetwork(scope: App): void {
  scope.addHook('onRoute', (route: RouteOptions) => {
    route.constraints = { ...route.constraints, [STRATEGY]: INSIDE };
  });
}
