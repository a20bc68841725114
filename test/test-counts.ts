/** Counts the tests of a run: passed, failed, or skipped for an allowed reason. */
import type { TestEvent } from 'node:test/reporters';

/** The only reasons to skip a test without failing the run: a program that npm does not install is missing. */
export const NO_BROWSER = 'no browser was found';
export const NO_PROGRAM = 'no such program is installed';

const MAX_SUMMARY_LENGTH = 400;

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** A line for each failure, even outside tests: people read only the end of the long report. */
  readonly complaints: readonly string[];
}

type FinishedTest = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;

/** Counts from the events of one process, which ran each file as a suite. */
export function countTests(files: readonly string[], events: readonly TestEvent[]): TestCounts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const complaints: string[] = [];
  const finished = new Set<string>();
  let testsOfFile = 0;
  let failuresOfFile: string[] = [];
  for (const event of events.filter(isFinishedTest)) {
    const { name, nesting, details, skip, todo } = event.data;
    const isSuite = details.type === 'suite';
    if (!isSuite && nesting > 0) {
      const kind = classifyTest(event);
      counts[kind] += 1;
      testsOfFile += 1;
      if (event.type === 'test:fail')
        failuresOfFile.push(`“${name}” failed: ${formatReason(event.data.details.error)}`);
      else if (kind === 'failed') failuresOfFile.push(`“${name}” did not run: ${skip ?? todo}`);
    } else if (event.type === 'test:fail' && !isFailedByTests(event.data.details.error)) {
      counts.failed += 1;
      complaints.push(`${name} could not be run`);
    }
    if (isSuite && nesting > 0 && event.type === 'test:pass' && (skip ?? todo) !== undefined) {
      counts.failed += 1;
      complaints.push(`the tests of “${name}” did not run: ${skip ?? todo}`);
    }
    if (nesting > 0 || !isSuite) continue;
    finished.add(name);
    complaints.push(...failuresOfFile.map((line) => `${line} · npm run test:only -- ${name}`));
    failuresOfFile = [];
    if (testsOfFile === 0 && event.type === 'test:pass') {
      counts.failed += 1;
      complaints.push(`${name} has no test`);
    }
    testsOfFile = 0;
  }
  const unfinished = files.filter((file) => !finished.has(file));
  counts.failed += unfinished.length;
  complaints.push(...failuresOfFile);
  complaints.push(...unfinished.map((file) => `${file} did not come to its end`));
  return { ...counts, complaints };
}

function isFinishedTest(event: TestEvent): event is FinishedTest {
  return event.type === 'test:pass' || event.type === 'test:fail';
}

/** A skipped test or one marked `todo` does not count as passed. */
function classifyTest({ type, data }: FinishedTest) {
  if (type === 'test:fail') return 'failed';
  if (data.skip === NO_BROWSER || data.skip === NO_PROGRAM) return 'skipped';
  return data.skip !== undefined || data.todo !== undefined ? 'failed' : 'passed';
}

/** Unwraps the error of a test, which the runner wraps in its own. */
function formatReason({ message, cause }: Error): string {
  const text = cause instanceof Error ? cause.message : message;
  return text.replaceAll(/\s+/g, ' ').slice(0, MAX_SUMMARY_LENGTH);
}

function isFailedByTests(error: Error & { failureType?: string }): boolean {
  return error.failureType === 'subtestsFailed';
}
