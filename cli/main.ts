/** The command line of operators and investigators, as a separate program. */
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { runCommand } from './commands.ts';

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

// Files that a command writes are readable only by the user who ran it.
process.umask(0o077);
for (const [signal, number] of Object.entries(SIGNALS)) process.on(signal, () => process.exit(128 + number));
// The reader of a pipe may close it early.
process.stdout.on('error', () => process.exit(EXIT_CODES.inputOutput));

process.exitCode = await runCommand(process.argv.slice(2), process);
