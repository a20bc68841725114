/** The networks from which investigators reach the desk's door. */
import type { EnvironmentReader } from './environment.ts';
import { isNetwork } from './networks.ts';

const VARIABLE = 'DESK_NETWORKS';
const LOOPBACK = ['127.0.0.0/8', '::1'] as const;

/** This machine alone unless others are named; with `off`, nobody. */
export function readDeskNetworks(reader: EnvironmentReader): readonly string[] {
  const networks = reader.readList(VARIABLE);
  if (networks.length === 0) return LOOPBACK;
  if (networks.join() === 'off') return [];
  if (networks.every(isNetwork)) return networks;
  reader.addMistake(VARIABLE, 'addresses or networks such as 10.8.0.0/24, or off');
  return [];
}
