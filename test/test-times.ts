/** Stores how long each test file took in its last run on this machine, so that the longest start first. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasOwnProcess, type TestGroup } from '#test/test-files.ts';

const TIMES_FILE = 'node_modules/.cache/test-times.json';
/** Guesses for files that have not run here: those with their own process take longest, then browsers and programs. */
const GUESSED_OWN_MS = 150_000;
const GUESSED_SLOW_MS = 10_000;
const GUESSED_MS = 4_000;
const GUESSED_UNIT_MS = 200;
const SLOW_FOLDERS = /^test\/(flows|faults|life|time)\//;

export type TestTimes = Readonly<Record<string, number>>;

export function readTestTimes(): TestTimes {
  try {
    return JSON.parse(readFileSync(TIMES_FILE, 'utf8')) as TestTimes;
  } catch {
    return {};
  }
}

export function writeTestTimes(times: TestTimes): void {
  mkdirSync(dirname(TIMES_FILE), { recursive: true });
  writeFileSync(TIMES_FILE, JSON.stringify({ ...readTestTimes(), ...times }));
}

export function sortLongestFirst(groups: readonly TestGroup[], times: TestTimes): TestGroup[] {
  const computeTotal = ({ files }: TestGroup) =>
    files.reduce((sum, file) => sum + (times[file] ?? computeTime(file)), 0);
  return groups.toSorted((a, b) => computeTotal(b) - computeTotal(a));
}

function computeTime(file: string): number {
  if (hasOwnProcess(file)) return GUESSED_OWN_MS;
  if (file.startsWith('src/')) return GUESSED_UNIT_MS;
  return SLOW_FOLDERS.test(file) ? GUESSED_SLOW_MS : GUESSED_MS;
}

/** Lists the slowest files, for the end of a run. */
export function listSlowest(times: TestTimes, count: number): string[] {
  return Object.entries(times)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([file, ms]) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`);
}
