/** Asks the user to type a word before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import { EXIT_CODES } from '#platform/exit-codes.ts';
import { CommandFailure } from './failure.ts';

export async function askConfirmation(question: string, word: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    process.stderr.write(question);
    for await (const line of reader) return line.trim() === word;
    return false;
  } finally {
    reader.close();
  }
}

/** Before a command changes everything of a kind. */
export async function requireBulkConfirmation(what: string, word: string): Promise<void> {
  if (await askConfirmation(`This concerns ${what}. Type ${word} to continue: `, word)) return;
  throw new CommandFailure('Not confirmed, so nothing was changed.', EXIT_CODES.failure);
}
