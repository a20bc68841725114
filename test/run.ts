/** Runs all checks and tests but the long ones (`LONG_FILES`), or only the test files in its arguments. */
import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { promisify } from 'node:util';
import { CHECKS, runCheck } from '#test/checks.ts';
import { createTemporaryFolder, endProcessScope, processScope } from '#test/cleanup.ts';
import { KEYS_FOLDER_VARIABLE } from '#test/data-folder.ts';
import { findMemoryFolder } from '#test/memory-folder.ts';
import { PORTS_FOLDER_VARIABLE } from '#test/ports.ts';
import { SHARED_POSTGRES_VARIABLE, startPostgres } from '#test/postgres-server.ts';
import { COMPILE_CACHE } from '#test/service-process.ts';
import { countTests } from '#test/test-counts.ts';
import { groupByProcess, listTestFiles, type TestGroup } from '#test/test-files.ts';
import { listSlowest, readTestTimes, sortLongestFirst, writeTestTimes } from '#test/test-times.ts';

const RUNNER = 'test/run-files.ts';
/** A process that takes longer is considered to hang, although each of its files has its own limit. */
const PROCESS_MS = 3_600_000;
/** Twice the number of processors, because many tests mostly wait. */
const LANES = availableParallelism() * 2;
const SHOWN_TIMES = 10;

const givenFiles = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const mayNotSkip = process.argv.includes('--no-skips');
if (process.argv.includes('--only') && givenFiles.length === 0) {
  console.error('Usage: npm run test:only -- FILE…');
  process.exit(64);
}
const total = { passed: 0, failed: 0, skipped: 0 };
const complaints: string[] = [];
const times: Record<string, number> = {};
const tasks: (() => Promise<void>)[] = [];
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());

try {
  process.env['NODE_COMPILE_CACHE'] = COMPILE_CACHE;
  process.env['TMPDIR'] = await createRunFolder();
  process.env[KEYS_FOLDER_VARIABLE] = await createTemporaryFolder(processScope);
  process.env[PORTS_FOLDER_VARIABLE] ??= await createTemporaryFolder(processScope);
  if (givenFiles.length === 0) {
    const startBrowser = async () => {
      // Imported only here, because loading the driver takes longer than most single test files.
      const { startSharedBrowser } = await import('#test/flows/find-browser.ts');
      await startSharedBrowser(processScope);
    };
    const begun = [startPostgres(processScope), startBrowser(), compileService()] as const;
    // Waits for all: if one failed, programs that are still starting would not be stopped.
    await Promise.allSettled(begun);
    const [postgres] = await Promise.all(begun);
    process.env[SHARED_POSTGRES_VARIABLE] = postgres.origin;
    for (const check of CHECKS) tasks.push(async () => count(await runCheck(check)));
  }
  const groups = groupByProcess(givenFiles.length > 0 ? givenFiles : listTestFiles());
  for (const group of sortLongestFirst(groups, readTestTimes())) tasks.push(() => runGroup(group));
  await Promise.all(Array.from({ length: LANES }, runNextTasks));
  if (givenFiles.length === 0) writeTestTimes(times);
} finally {
  await endProcessScope();
}

if (givenFiles.length === 0)
  process.stdout.write(`The slowest files:\n${listSlowest(times, SHOWN_TIMES).join('\n')}\n`);
for (const complaint of complaints) process.stdout.write(`✖ ${complaint}\n`);
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
const isComplete = !interruption.signal.aborted && !(mayNotSkip && total.skipped > 0);
process.exit(total.failed === 0 && isComplete ? 0 : 1);

/** Creates a folder for everything that the run writes; it is removed with what killed tests have left. */
async function createRunFolder(): Promise<string> {
  process.env['TMPDIR'] = findMemoryFolder() ?? tmpdir();
  const folder = await createTemporaryFolder(processScope);
  // Lets PostgreSQL traverse the folder, because it runs as another user if this is root.
  await chmod(folder, 0o711);
  return folder;
}

/** Fills the compile cache, because the first processes would otherwise all compile the same code. */
async function compileService(): Promise<void> {
  await promisify(execFile)(process.execPath, [
    '-e',
    `import('#test/test-shop.ts').then(() => process.exit())`,
  ]);
}

function count(isPassed: boolean): void {
  total[isPassed ? 'passed' : 'failed'] += 1;
}

async function runNextTasks(): Promise<void> {
  for (let task = tasks.shift(); task && !interruption.signal.aborted; task = tasks.shift()) await task();
}

/** Shows the output of a process when it ends, so that parallel processes do not mix. */
async function runGroup({ files }: Pick<TestGroup, 'files'>, isAgain = false): Promise<void> {
  const stream = run({
    files: [RUNNER],
    argv: files,
    isolation: 'process',
    timeout: PROCESS_MS,
    signal: interruption.signal,
  });
  const events: TestEvent[] = [];
  for await (const event of stream as AsyncIterable<TestEvent>) events.push(event);
  const lost = isAgain ? [] : listLostFiles(files, events);
  const isOfLostProcess = ({ type, data }: TestEvent) =>
    lost.length > 0 && type === 'test:fail' && data.name === RUNNER;
  const { complaints: about, ...counts } = countTests(
    files.filter((file) => !lost.includes(file)),
    events.filter((event) => !isOfLostProcess(event)),
  );
  for (const { type, data } of events)
    if ((type === 'test:pass' || type === 'test:fail') && data.nesting === 0 && files.includes(data.name))
      times[data.name] = data.details.duration_ms;
  for (const name of ['passed', 'failed', 'skipped'] as const) total[name] += counts[name];
  complaints.push(...about);
  await showEvents(events.filter((event) => !isSummary(event)));
  if (lost.length === 0) return;
  process.stdout.write(`V8 failed by a check of its own; what it left is run again: ${lost.join(' ')}\n`);
  await runGroup({ files: lost }, true);
}

/**
 * Lists files that a process did not run because the engine failed an internal check while compiling WebAssembly.
 * Unlike other crashes, that says nothing about a test.
 */
function listLostFiles(files: readonly string[], events: readonly TestEvent[]): readonly string[] {
  const isEngineFault = events.some(
    ({ type, data }) => type === 'test:stderr' && data.message.includes('# Fatal error in , line 0'),
  );
  const ended = events.flatMap(({ type, data }) =>
    (type === 'test:pass' || type === 'test:fail') && data.nesting === 0 ? data.name : [],
  );
  return isEngineFault ? files.filter((file) => !ended.includes(file)) : [];
}

/** Detects the summary of one process; the run prints its own for all. */
function isSummary({ type, data }: TestEvent): boolean {
  return type === 'test:summary' || (type === 'test:diagnostic' && data.nesting === 0);
}

async function showEvents(events: readonly TestEvent[]): Promise<void> {
  const reporter = new spec();
  for (const event of events) reporter.write(event);
  reporter.end();
  for await (const text of reporter) process.stdout.write(text as string);
}
