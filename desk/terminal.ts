/** The terminal where the desk runs: prints its messages, and notices when Enter is pressed. */
import { createInterface } from 'node:readline';
import { readErrorCode } from '#platform/error-code.ts';
import { EXIT_CODES } from '#platform/exit-codes.ts';

/** Calls back for each line, one after another; returns at the end of the input. */
export async function watchTerminal(onEnter: () => Promise<void>): Promise<void> {
  while (await hasLine()) await onEnter();
}

/** Closed after each line: a passphrase is read from the same terminal, which then shows nothing. */
async function hasLine(): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, terminal: false });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  reader.once('line', () => resolve(true));
  reader.once('close', () => resolve(false));
  const isThere = await promise;
  reader.close();
  return isThere;
}

export function printLine(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Node would print the whole error. Unhandled promise rejections also arrive here. */
export function exitOnCrash(): void {
  process.on('uncaughtException', (error) => {
    printLine(`The desk ends: unexpected ${formatTrace(error)}`);
    process.exit(EXIT_CODES.software);
  });
}

/** The place of the error, without its message, which may quote a case. */
export function formatTrace(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const stack = (error.stack ?? '').slice((error.stack ?? '').indexOf(error.message) + error.message.length);
  const frames = stack.match(/(?:desk|src)\/[\w./-]+:\d+/g)?.slice(0, 3) ?? [];
  return [error.constructor.name, readErrorCode(error), ...frames].filter(Boolean).join(' ');
}
