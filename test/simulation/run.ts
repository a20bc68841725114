/**
 * `npm run sim`: runs stories and checks every promise in them. By default it runs twenty from a random seed;
 * with `--minutes N`, as many as fit; with SIM_SEED, only that one, in the shorter form of SIM_PATH if set.
 * With `--commands N`, as in the suite, it runs every story that has ever shown a fault, then others from seed 1 until
 * N commands have run. SIM_ENGINE=postgres uses PostgreSQL.
 */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { endProcessScope, processScope } from '#test/cleanup.ts';
import { openPostgresEngine } from '#test/store/engines.ts';
import { countCommands, createCoverage, describeCoverage } from './coverage.ts';
import { runStory } from './story.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string' }, commands: { type: 'string' } } });
const givenSeed = process.env['SIM_SEED'];
const givenPath = process.env['SIM_PATH'];
const STORIES = 20;
const SHRINK_MS = Number(process.env['SIM_SHRINK_MS'] ?? 60_000);

const minutes = readNumber('minutes');
const enough = readNumber('commands');
const first = enough === null ? Number(givenSeed ?? randomInt(2 ** 30)) : 1;
const until = performance.now() + (minutes ?? 0) * 60_000;
const postgres = process.env['SIM_ENGINE'] === 'postgres' ? await openPostgresEngine(processScope) : null;
const coverage = createCoverage();
const before = process.cpuUsage();
let failures = 0;
if (enough !== null)
  for (const { seed, path, fault } of readFailingStories())
    if (!(await tell(seed, path))) process.stdout.write(`It showed before that ${fault}.\n`);
for (let seed = first; !isOver(seed - first); seed += 1)
  if (!(await tell(seed, givenPath)) && minutes === null) break;
const { user, system } = process.cpuUsage(before);
process.stdout.write(describeCoverage(coverage, (user + system) / 1e6));
await endProcessScope();
process.exit(failures === 0 ? 0 : 1);

/** Runs one story; returns whether every promise held. */
async function tell(seed: number, path: string | undefined): Promise<boolean> {
  const told = await runStory({
    seed,
    ...(postgres && { database: (await postgres.createDatabase(processScope)).env }),
    shrinkMs: SHRINK_MS,
    ...(path !== undefined && { path }),
  });
  coverage.add(told);
  process.stdout.write(`${seed}: ${told.options}; ${told.commands} commands\n`);
  if (told.failure === null) return true;
  failures += 1;
  process.stdout.write(`${told.failure}\n`);
  return false;
}

function readFailingStories() {
  const text = readFileSync(new URL('./failing-seeds.json', import.meta.url), 'utf8');
  return JSON.parse(text) as readonly {
    readonly seed: number;
    readonly path: string;
    readonly fault: string;
  }[];
}

function isOver(stories: number): boolean {
  if (enough !== null) return countCommands(coverage) >= enough;
  if (minutes !== null) return performance.now() > until;
  return stories >= (givenSeed === undefined ? STORIES : 1);
}

function readNumber(name: keyof typeof values): number | null {
  const text = values[name];
  if (text === undefined) return null;
  if (Number(text) > 0) return Number(text);
  process.stderr.write(`--${name} takes a number above 0\n`);
  process.exit(64);
}
