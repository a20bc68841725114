/** The investigator's program: restarts itself inside a process sandbox, and runs the desk there. */
import { VERSION } from '#platform/config/version.ts';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';
import { holdFileLock } from '#platform/file-lock.ts';
import { enterProcessSandbox, readSandbox, refuseOpenProcess, refuseRoot } from './process-sandbox.ts';
import { DESK_USAGE, type DeskSettings, readDeskSettings } from './settings.ts';
import { exitOnCrash, formatTrace, printLine, watchTerminal } from './terminal.ts';

// No other user may read what the desk writes.
process.umask(0o077);
exitOnCrash();
try {
  await startDesk(process.argv.slice(2));
} catch (error) {
  const [text, exitCode] = describeFailure(error);
  printLine(text);
  process.exit(exitCode);
}

async function startDesk(args: readonly string[]): Promise<void> {
  const sandbox = readSandbox(process.env);
  if (sandbox && args.length > 0)
    throw new ProgramError('the desk starts its process sandbox by itself', EXIT_CODES.usage);
  const settings = sandbox?.settings ?? readDeskSettings(args, process.cwd());
  if (settings === 'help') return void process.stdout.write(DESK_USAGE);
  if (settings === 'version') return void process.stdout.write(`${VERSION}\n`);
  refuseOpenProcess(process.env, process.execArgv);
  if (sandbox) return await runDesk(settings, sandbox.entryFolder);
  refuseRoot(settings);
  enterProcessSandbox(settings, process.env);
}

/** Two desks with one key would write over each other's files. */
async function runDesk(settings: DeskSettings, entryFolder: string): Promise<void> {
  // Imported only here, because the process does not need it before the restart.
  const { RunningDesk } = await import('./running-desk.ts');
  const desk = new RunningDesk(settings, entryFolder);
  using hold = holdFileLock(`${settings.keyPath}.desk.lock`);
  if (!hold)
    throw new ProgramError(
      `another desk is running with ${settings.keyPath}; end that one first`,
      EXIT_CODES.unavailable,
    );
  const end = () => void desk.close().finally(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  process.on('SIGHUP', () => desk.lock());
  try {
    await desk.start();
  } catch (error) {
    await desk.close();
    throw error;
  }
  const isTerminal = process.stdin.isTTY;
  await watchTerminal(() => desk.resume().catch((error: unknown) => printLine(describeFailure(error)[0])));
  // The terminal window was closed; without a terminal, only a signal ends the desk.
  if (isTerminal) end();
  await new Promise(() => {});
}

function describeFailure(error: unknown): [text: string, exitCode: number] {
  if (error instanceof ProgramError) return [error.message, error.exitCode];
  return [`Unexpected ${formatTrace(error)}`, EXIT_CODES.software];
}
