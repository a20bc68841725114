/** Asks for a passphrase on a terminal without showing the typed characters. */
import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { EXIT_CODES, ProgramError } from '#platform/exit-codes.ts';

const MAX_LENGTH = 1024;
const KEYS = {
  interrupt: '\u0003',
  end: '\u0004',
  eraseLine: '\u0015',
  erase: ['\u007f', '\b'],
  enter: ['\r', '\n'],
};

/** Reads from the terminal itself if there is one: standard input may be the text of a message. */
export async function askPassphrase(question: string): Promise<string> {
  const terminal = openTerminal();
  try {
    return await readHiddenLine(terminal, question);
  } finally {
    if (terminal !== process.stdin) terminal.destroy();
  }
}

function openTerminal(): ReadStream {
  if (process.stdin.isTTY) return process.stdin;
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch (error) {
    throw new ProgramError(
      'The key has a passphrase, and there is no terminal to ask for it',
      EXIT_CODES.noPermission,
      error,
    );
  }
}

/** Stops the echo before asking, because the user may start typing at once. */
async function readHiddenLine(terminal: ReadStream, question: string): Promise<string> {
  terminal.setRawMode(true);
  terminal.setEncoding('utf8');
  process.stderr.write(question);
  try {
    return await collectLine(terminal);
  } finally {
    terminal.setRawMode(false);
    terminal.pause();
    process.stderr.write('\n');
  }
}

async function collectLine(terminal: ReadStream): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let typed: string[] = [];
  const onData = (chunk: string) => {
    for (const key of chunk) {
      if (KEYS.enter.includes(key)) return resolve(typed.join(''));
      if (key === KEYS.interrupt || key === KEYS.end || typed.length >= MAX_LENGTH)
        return reject(new ProgramError('No passphrase was entered', EXIT_CODES.noInput));
      if (key === KEYS.eraseLine) typed = [];
      else if (KEYS.erase.includes(key)) typed.pop();
      else typed.push(key);
    }
  };
  terminal.on('data', onData);
  terminal.once('end', () => reject(new ProgramError('No passphrase was entered', EXIT_CODES.noInput)));
  terminal.resume();
  try {
    return (await promise).normalize('NFC');
  } finally {
    terminal.off('data', onData);
  }
}
