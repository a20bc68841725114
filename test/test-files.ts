/** Groups test files by process: some share one, others need their own. */
import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { isLongRun } from '#test/scale.ts';

/** Folders with fewer test files share a few processes, because loading the service takes longer than many tests. */
const FEW_FILES = 16;
const SHARED_PROCESSES = 4;

/** Files that need their own process; other files of a folder share one. */
const OWN_PROCESS_FILES: Readonly<Record<string, string>> = {
  'test/cases/upload-memory.test.ts': 'measures the memory of a program while it sends 100 MiB',
  'test/desk/day-of-drafts.test.ts': 'waits as long as an investigator who stops to think',
  'test/desk/pages-in-browser.test.ts': 'would end last of all, after the rest of its folder',
  'test/desk/program.test.ts': 'would end last of all, after the rest of its folder',
  'test/seal/large-file.test.ts': 'measures the memory of its own process',
  'test/simulation/simulation.test.ts': 'takes longer than any other',
};

/** Files that only the long run includes. */
const LONG_FILES: Readonly<Record<string, string>> = {
  'test/bench/bench-run.test.ts': 'runs a bench against a started service',
  'test/cases/upload-memory.test.ts': '100 MiB',
  'test/conformance/mcp.test.ts': 'a program of others',
  'test/conformance/mcp-authorization.test.ts': 'a program of others',
  'test/conformance/openapi-tools.test.ts': 'generators and validators of others',
  'test/conformance/page-readers.test.ts': 'a check of sites for agents, by others',
  'test/faults/day-away.test.ts': 'all tasks of a day and a half',
  'test/desk/day-of-drafts.test.ts':
    'what test/desk/draft-pages.test.ts, kept-text, frame-in-browser and test/faults/desk-drafts.test.ts say, at random moments',
  'test/faults/fleet/killed-parts.test.ts':
    'what test/faults/restarts-under-load.test.ts says, with three instances',
  'test/faults/fleet/failover.test.ts': 'programs of others',
  'test/flows/case/missing-message.test.ts': 'what test/cases/missing-message.test.ts says, in a browser',
  'test/flows/files/cut-uploads.test.ts': 'slow and broken networks',
  'test/flows/site/readers.test.ts': 'further widths and sizes of text',
  'test/life/killed-leader.test.ts':
    'what test/store/leader.test.ts and test/life/sweeps.test.ts say, with programs that are killed',
  'test/life/pgbouncer.test.ts': 'a program of others',
  'test/life/caches.test.ts': 'starts without compiled code, which take seconds each',
  'test/life/proxies.test.ts': 'programs of others',
  'test/oauth/tokens-in-two-processes.test.ts': 'what test/oauth/races.test.ts says, with two programs',
  'test/sandbox/sessions.test.ts': 'the sandbox alone, which every test of payments uses',
  'test/seal/large-file.test.ts': '64 MiB',
  'test/seal/package.test.ts': 'an install by npm',
};

export interface TestGroup {
  readonly name: string;
  readonly files: readonly string[];
}

export function listTestFiles(): string[] {
  // Some third-party tools bring tests of their own.
  const files = globSync('{src,test}/**/*.test.ts', { exclude: ['**/node_modules/**'] }).toSorted();
  return isLongRun ? files : files.filter((file) => !(file in LONG_FILES));
}

/** Groups files by the process in which they run. */
export function groupByProcess(files: readonly string[]): TestGroup[] {
  const groups = Map.groupBy(
    files.map((file) => relative('.', file)),
    getProcessName,
  );
  const isSmall = (name: string, { length }: readonly string[]) =>
    length < FEW_FILES && !name.startsWith('test/flows/') && !hasOwnProcess(name) && name !== 'src';
  let small = 0;
  const merged = Map.groupBy([...groups], ([name, members]) =>
    isSmall(name, members) ? `test ${small++ % SHARED_PROCESSES}` : name,
  );
  return [...merged].map(([name, parts]) => ({ name, files: parts.flatMap(([, members]) => members) }));
}

function getProcessName(file: string): string {
  if (file.startsWith('src/')) return 'src';
  const folder = file.slice(0, file.lastIndexOf('/'));
  return hasOwnProcess(file) ? file : folder;
}

export function hasOwnProcess(file: string): boolean {
  return file in OWN_PROCESS_FILES;
}
