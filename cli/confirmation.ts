/** Asks the user to type a word before something that cannot be undone. */
import { createInterface } from 'node:readline/promises';

export async function askConfirmation(question: string, word: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    process.stderr.write(question);
    for await (const line of reader) return line.trim() === word;
    if (!process.stdin.isTTY) process.stderr.write('There was no answer; --yes confirms without asking. ');
    return false;
  } finally {
    reader.close();
  }
}
