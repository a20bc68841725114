/** Counts what a run has shown of each test: it passed, failed, or was skipped for a reason that is allowed. */
import type { TestEvent } from 'node:test/reporters';

/** The only reasons for which a test may be skipped without failing the run: a program that npm does not bring. */
export const NO_BROWSER = 'no browser was found';
export const NO_PROGRAM = 'no such program is installed';

const MAX_SUMMARY_LENGTH = 400;

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** A line for each that failed, also for what no test says: the whole report is long, and its end is what people see. */
  readonly complaints: readonly string[];
}

type FinishedTest = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;

/** The events of one process that ran some files, each as a suite. */
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

/** A test that is skipped or left for later has not been seen to pass. */
function classifyTest({ type, data }: FinishedTest) {
  if (type === 'test:fail') return 'failed';
  if (data.skip === NO_BROWSER || data.skip === NO_PROGRAM) return 'skipped';
  return data.skip !== undefined || data.todo !== undefined ? 'failed' : 'passed';
}

/** The error of a test is wrapped in one of the runner. */
function formatReason({ message, cause }: Error): string {
  const text = cause instanceof Error ? cause.message : message;
  return text.replaceAll(/\s+/g, ' ').slice(0, MAX_SUMMARY_LENGTH);
}

function isFailedByTests(error: Error & { failureType?: string }): boolean {
  return error.failureType === 'subtestsFailed';
}
