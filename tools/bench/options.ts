/** The arguments of `npm run bench`. */
import { parseArgs } from 'node:util';

const DEFAULT_ROUNDS = 6;
const DEFAULT_SIZE = 1_000_000;
const MIN_SIZE = 2_000;

export interface BenchArguments {
  readonly names: readonly string[];
  readonly rounds: number;
  readonly size: number;
}

export function formatBenchUsage(known: readonly string[]): string {
  return `Usage: npm run bench -- NAME… [--rounds N] [--size N]

Measures the service beside bare servers, in one run, and ends with 1 if a target is missed.

  NAME        ${known.join(', ')}, or all
  --rounds N  alternating rounds of each comparison (default ${DEFAULT_ROUNDS})
  --size N    cases in the largest store (default ${DEFAULT_SIZE}, at least ${MIN_SIZE})
`;
}

/** Returns null for arguments that make no sense. */
export function parseBenchArguments(
  args: readonly string[],
  known: readonly string[],
): BenchArguments | null {
  try {
    const options = { rounds: { type: 'string' }, size: { type: 'string' } } as const;
    const { positionals, values } = parseArgs({ args: [...args], allowPositionals: true, options });
    const rounds = Number(values.rounds ?? DEFAULT_ROUNDS);
    const size = Number(values.size ?? DEFAULT_SIZE);
    const isAll = positionals.length === 1 && positionals[0] === 'all';
    const names = isAll ? known : [...new Set(positionals)];
    const fits = names.length > 0 && names.every((name) => known.includes(name));
    return fits && isCount(rounds, 1) && isCount(size, MIN_SIZE) ? { names, rounds, size } : null;
  } catch {
    return null;
  }
}

function isCount(value: number, min: number): boolean {
  return Number.isSafeInteger(value) && value >= min;
}
