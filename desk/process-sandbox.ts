/** Restarts the desk in a process sandbox: it accesses only its own files, starts nothing, and cannot be debugged. */
import { mkdtempSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import type { DeskSettings } from './settings.ts';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = fileURLToPath(new URL('main.ts', import.meta.url));

/** The settings, which need neither a configuration nor the current folder, as JSON: none of them is secret. */
const SANDBOX = 'DESK_SANDBOX';

export interface DeskSandbox {
  readonly settings: DeskSettings;
  /** The folder of `open.html`. Its name is no secret, but the content of the file is. */
  readonly entryFolder: string;
}

/** Other environment variables could change what Node does, or whom it trusts. */
const KEPT_VARIABLES = new Set(['HOME', 'LANG', 'LC_ALL', 'PATH', 'TERM', 'TZ']);

/** Refuses options that could open the process to others, or that have already run code in it. */
export function refuseOpenProcess(environment: NodeJS.ProcessEnv, execArgv: readonly string[]): void {
  if (environment['NODE_OPTIONS'])
    throw new ProgramError(
      'NODE_OPTIONS is set and could load other code into the desk; unset it',
      EXIT_CODES.config,
    );
  const foreign = execArgv.find((arg) => !isOwnArgument(arg));
  if (foreign !== undefined)
    throw new ProgramError(
      `Node was started with ${foreign.split('=')[0]}; start the desk without that option`,
      EXIT_CODES.config,
    );
}

function isOwnArgument(arg: string): boolean {
  return /^--(?:disable-sigusr1|permission|allow-fs-(?:read|write)=.*)$/.test(arg);
}

/** Root can read the cases anyway, but an exploit of a desk that runs as root could do everything. */
export function refuseRoot({ isRootAllowed }: DeskSettings): void {
  if (process.getuid?.() !== 0) return;
  if (!isRootAllowed)
    throw new ProgramError(
      'the desk would run as root, and so would an exploit of it; use your own account, or --as-root',
      EXIT_CODES.noPermission,
    );
  process.stderr.write('Warning: the desk runs as root.\n');
}

/** Null outside of the process sandbox. */
export function readSandbox(environment: NodeJS.ProcessEnv): DeskSandbox | null {
  return process.permission ? (JSON.parse(environment[SANDBOX] ?? 'null') as DeskSandbox | null) : null;
}

/** Does not return: the process is replaced by the sandboxed one, on the same terminal. */
export function enterProcessSandbox(settings: DeskSettings, environment: NodeJS.ProcessEnv): never {
  const entryFolder = createEntryFolder(environment['XDG_RUNTIME_DIR']);
  const kept = Object.entries(environment).filter(([name]) => KEPT_VARIABLES.has(name));
  const argv = [
    process.execPath,
    '--disable-sigusr1',
    '--permission',
    ...listReadable(settings, entryFolder).map((path) => `--allow-fs-read=${path}`),
    ...listWritable(settings, entryFolder).map((path) => `--allow-fs-write=${path}`),
    PROGRAM,
  ];
  const sandbox: DeskSandbox = { settings, entryFolder };
  process.execve?.(process.execPath, argv, {
    ...Object.fromEntries(kept),
    [SANDBOX]: JSON.stringify(sandbox),
  });
  throw new ProgramError(
    'this system cannot replace a process, so the desk does not run here',
    EXIT_CODES.unavailable,
  );
}

/** In memory if the system has such a folder for each user. */
function createEntryFolder(runtimeFolder: string | undefined): string {
  const place =
    runtimeFolder && statSync(runtimeFolder, { throwIfNoEntry: false }) ? runtimeFolder : tmpdir();
  return realpathSync(mkdtempSync(join(place, 'desk-')));
}

/** The program with its packages, the key with the files beside it, and the files and folders in the settings. */
function listReadable(
  { keyPath, trust, templatesFolder, outFolder }: DeskSettings,
  entryFolder: string,
): string[] {
  const caPath = typeof trust === 'object' && 'caPath' in trust ? [trust.caPath] : [];
  const folders = [templatesFolder, outFolder].filter((folder) => folder !== null);
  // Packages may be links to another place.
  const packages = realpathSync(join(PROJECT, 'node_modules'));
  return [PROJECT, packages, dirname(keyPath), ...caPath, ...folders, entryFolder];
}

/** Pins, drafts and other small files are stored beside the key. */
function listWritable({ keyPath, outFolder }: DeskSettings, entryFolder: string): string[] {
  return [dirname(keyPath), ...(outFolder ? [outFolder] : []), entryFolder];
}
