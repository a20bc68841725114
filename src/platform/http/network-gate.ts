/** Routes that exist only for callers from certain networks: for all others the router does not know them. */
import type { IncomingMessage } from 'node:http';
import type { RouteOptions } from 'fastify';
import type { Config } from '#platform/config/config.ts';
import { createNetworkCheck, isLoopbackAddress } from '#platform/net/networks.ts';
import type { App } from './app-type.ts';
import { createCallerAddressReader } from './caller-address.ts';

const STRATEGY = 'network';
const INSIDE = 'inside';

/** Must come before any route. A router constraint, not a hook, so that for others the path is unknown. */
export function addNetworkGate(app: App, networks: readonly string[], tls: Config['tls']): void {
  const isListed = createNetworkCheck(networks);
  const readCallerAddress = createCallerAddressReader(tls);
  const isInside = (request: IncomingMessage) => {
    const caller = readCallerAddress(request);
    if (caller === null || !isListed(caller.address)) return false;
    // A caller with an address among the proxies can claim to be this machine; only the machine itself is believed.
    return !isLoopbackAddress(caller.address) || caller.proxies.every(isLoopbackAddress);
  };
  app.addConstraintStrategy({
    name: STRATEGY,
    storage: () => createGateStorage(isInside),
    deriveConstraint: (request) => request,
    validate: () => undefined,
  });
}

/**
 * The router passes the request itself as the constraint, and only if the path leads to a route behind the gate, so
 * that no other request pays for reading its address. While routes are added, it passes their constraint.
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

/** All routes that are added to this scope from here on are behind the gate. */
export function requireNetwork(scope: App): void {
  scope.addHook('onRoute', (route: RouteOptions) => {
    route.constraints = { ...route.constraints, [STRATEGY]: INSIDE };
  });
}
