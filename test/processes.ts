/** Which test files run together in one process, and which have one of their own. */
import { globSync } from 'node:fs';
import { relative } from 'node:path';

/** Folders whose files start, kill and measure programs, or drive a browser: one that hangs or dies takes no other with it. */
const OWN_PROCESS_FOLDERS = ['test/faults', 'test/life', 'test/cli', 'test/flows'];

/** Files that need a process to themselves though their folder shares one. */
const OWN_PROCESS_FILES: Readonly<Record<string, string>> = {
  'test/agents/agent-command.test.ts': 'starts programs',
  'test/bench/bench-run.test.ts': 'starts and measures programs',
  'test/desk-program/attacks-in-browser.test.ts': 'drives a browser',
  'test/desk-program/frame-in-browser.test.ts': 'drives a browser',
  'test/callbacks/killed-sender.test.ts': 'kills programs',
  'test/cases/killed-sending.test.ts': 'kills programs',
  'test/cases/upload-memory.test.ts': 'measures the memory of a program while it sends 100 MiB',
  'test/desk-program/crash.test.ts': 'starts programs',
  'test/desk-program/file-lock.test.ts': 'kills programs',
  'test/desk-program/killed-pinning.test.ts': 'kills programs',
  'test/desk-program/pages-in-browser.test.ts': 'drives a browser',
  'test/desk-program/program.test.ts': 'starts and kills programs',
  'test/seal/large-file.test.ts': 'measures the memory of its own process',
  'test/seal/package.test.ts': 'starts programs',
  'test/watch/management.test.ts': 'starts programs',
};

export interface TestGroup {
  readonly name: string;
  readonly files: readonly string[];
}

export function listTestFiles(): string[] {
  return [...globSync('src/**/*.test.ts'), ...globSync('test/**/*.test.ts')].toSorted();
}

/** Files in the processes that they belong in. */
export function groupByProcess(files: readonly string[]): TestGroup[] {
  const groups = new Map<string, string[]>();
  for (const file of files.map((each) => relative('.', each))) {
    const name = getProcessName(file);
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  return [...groups].map(([name, members]) => ({ name, files: members }));
}

function getProcessName(file: string): string {
  if (file.startsWith('src/')) return 'src';
  const folder = file.slice(0, file.lastIndexOf('/'));
  return OWN_PROCESS_FOLDERS.includes(folder) || file in OWN_PROCESS_FILES ? file : folder;
}
