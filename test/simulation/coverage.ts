/** Counts over many stories how often each command ran and each transition of a case occurred. */
import { caseTransitions } from '#cases/states.ts';
import { commands, type StoryResult } from './story.ts';

export interface Coverage {
  readonly commands: Map<string, number>;
  readonly transitions: Map<string, number>;
  readonly add: (told: StoryResult) => void;
}

export function createCoverage(): Coverage {
  const coverage = {
    commands: new Map(commands.map(({ name }) => [name, 0])),
    transitions: new Map(listTransitions().map((step) => [step, 0])),
  };
  const addCounts = (to: Map<string, number>, counts: ReadonlyMap<string, number>) => {
    for (const [name, count] of counts) to.set(name, (to.get(name) ?? 0) + count);
  };
  return {
    ...coverage,
    add: ({ counts, transitions }) => {
      addCounts(coverage.commands, counts);
      addCounts(coverage.transitions, transitions);
    },
  };
}

export function countCommands({ commands: counts }: Coverage): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

export function describeCoverage(coverage: Coverage, seconds: number): string {
  const total = countCommands(coverage);
  const lines = [...coverage.commands, ...coverage.transitions]
    .toSorted(([, one], [, other]) => one - other)
    .map(([name, count]) => `${String(count).padStart(7)}  ${name}`);
  const rate = Math.round(total / Math.max(seconds, 1));
  return `${lines.join('\n')}\n${total} commands in ${Math.round(seconds)} s of processor time (${rate} each second)\n`;
}

/** Lists every transition that the table of states allows. */
function listTransitions(): string[] {
  return [
    ...new Set(
      Object.values(caseTransitions).flatMap(({ from, to }) => from.map((state) => `${state} → ${to}`)),
    ),
  ];
}
