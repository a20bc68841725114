/** Asks the user to type a word before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import { getIo } from './io.ts';

export async function askConfirmation(question: string, word: string): Promise<boolean> {
  const reader = createInterface({ input: getIo().stdin, output: getIo().stderr, terminal: false });
  try {
    getIo().stderr.write(question);
    for await (const line of reader) return line.trim() === word;
    if (!getIo().stdin.isTTY) getIo().stderr.write('There was no answer; --yes confirms without asking. ');
    return false;
  } finally {
    reader.close();
  }
}
