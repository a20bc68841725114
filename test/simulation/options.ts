/** The options that a seed decides before the first step: the size of the world, and what may go wrong in it. */
import fc from 'fast-check';

const FAULT_KINDS = [
  'crash',
  'restart',
  'provider away',
  'mail away',
  'receiver away',
  'full disk',
  'clock jump',
  'restore',
  'garbage',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Options {
  readonly instances: number;
  readonly agents: number;
  /** How long the desk can take an answer back. */
  readonly holdMinutes: number;
  /** Hours to add to the start time. */
  readonly hour: number;
  /** In some worlds nothing goes wrong; in others, only some faults occur, and therefore more often. */
  readonly faults: readonly FaultKind[];
  /** The engine's variables: none for SQLite. */
  readonly database: Readonly<Record<string, string>>;
}

export function createOptionsArbitrary(database: Options['database']): fc.Arbitrary<Options> {
  return fc.record({
    instances: fc.constantFrom(1, 1, 2),
    agents: fc.constantFrom(2, 3),
    holdMinutes: fc.constantFrom(10, 10, 0),
    hour: fc.nat({ max: 23 }),
    faults: fc.oneof(
      { weight: 1, arbitrary: fc.constant([]) },
      { weight: 4, arbitrary: fc.subarray([...FAULT_KINDS]) },
    ),
    database: fc.constant(database),
  });
}

export function describeOptions({ instances, agents, holdMinutes, hour, faults }: Options): string {
  const went = faults.length === 0 ? 'nothing goes wrong' : `may go wrong: ${faults.join(', ')}`;
  return `${instances} instances, ${agents} agents, answers on hold for ${holdMinutes} min, begins at hour ${hour}; ${went}`;
}
