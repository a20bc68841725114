/** Some thousand commands of the simulation, and every story that has ever shown a fault. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { scale } from '#test/scale.ts';
import { countCommands, createCoverage } from './coverage.ts';
import { runStory } from './story.ts';

/** In a failing run of the suite; `npm run sim` with the same seed makes it shorter still. */
const SHRINK_MS = 30_000;

const known = JSON.parse(readFileSync(new URL('./failing-seeds.json', import.meta.url), 'utf8')) as {
  readonly seed: number;
  readonly path: string;
  readonly fault: string;
}[];

for (const { seed, path, fault } of known)
  test(`the story of ${seed} shows no longer that ${fault}`, async () => {
    const { failure } = await runStory({ shrinkMs: SHRINK_MS, seed, path });
    assert.equal(failure, null);
  });

test('whatever buyers, agents, the desk, the provider, time and faults do, every promise holds', async (t) => {
  const coverage = createCoverage();
  for (let seed = 1; countCommands(coverage) < scale.simulatedCommands; seed += 1) {
    const told = await runStory({ shrinkMs: SHRINK_MS, seed });
    assert.equal(told.failure, null, told.failure ?? '');
    coverage.add(told);
  }
  const never = [...coverage.commands, ...coverage.transitions].filter(([, count]) => count === 0);
  t.diagnostic(
    `${countCommands(coverage)} commands; never: ${never.map(([name]) => name).join(', ') || 'none'}`,
  );
});
