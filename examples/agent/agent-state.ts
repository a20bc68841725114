/** Prints for the person who started the agent, and stores what must not be lost: credentials, purchase, words. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { escapeUnseenInJson, replaceUnseen } from '#seal/core/unseen-characters.ts';
import type { FieldError } from '#seal/form/field-rules.ts';

/** sysexits.h: EX_USAGE. */
export const EXIT_USAGE = 64;

/** An error that is printed without a stack. */
export class AgentFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'AgentFailure';
    this.exitCode = exitCode;
  }
}

/** Has a line such as `/question: missing, min 20` for each error. */
export function createFieldFailure(what: string, errors: readonly FieldError[]): AgentFailure {
  const lines = errors.map(({ pointer, code, said: { values = {} }, choices }) => {
    if (choices) return `${pointer}: one of ${choices.join(', ')}`;
    const limits = Object.entries(values).map(([name, value]) => `, ${name} ${JSON.stringify(value)}`);
    return `${pointer}: ${code}${limits.join('')}`;
  });
  return new AgentFailure([what, ...lines].join('\n'));
}

/** Replaces characters that could control the terminal, be invisible or reorder the text. */
export function printText(text: string): void {
  console.log(replaceUnseen(text));
}

/** Escapes such characters, so that a program that parses the output gets the original text. */
export function printJson(value: unknown): void {
  console.log(escapeUnseenInJson(JSON.stringify(value, null, 2)));
}

interface AgentFacts {
  readonly site?: string;
  readonly registration?: { readonly id: string; readonly statusUri: string; readonly token: string };
  readonly credentials?: { readonly clientId: string; readonly clientSecret: string };
  readonly checkout?: { readonly key: string; readonly tier: string };
  readonly orderId?: string;
  /** The words that open the case; without them the finding cannot be read. */
  readonly words?: string;
  readonly caseId?: string;
}

/** The state of a run in a private file, from which each step continues. */
export class AgentState {
  readonly file: string;
  facts: AgentFacts;

  constructor(file: string) {
    this.file = file;
    this.facts = existsSync(file) ? readJsonFile(file) : {};
  }

  /** To be called before the next step: the process may end at any time. */
  store(change: AgentFacts): void {
    this.facts = { ...this.facts, ...change };
    const draft = `${this.file}.new`;
    // Removes the draft of an interrupted process; `wx` then fails if another file or link takes its place.
    rmSync(draft, { force: true });
    // Flushes before renaming: words that are lost in a power cut cannot be recovered.
    const text = `${JSON.stringify(this.facts, null, 2)}\n`;
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, this.file);
    flushFolder(dirname(this.file));
  }
}

/** Without this, a power cut may undo the renaming of a file. */
function flushFolder(path: string): void {
  // Windows cannot flush folders.
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

export function readJsonFile(path: string): object {
  const text = readFileSync(path, 'utf8');
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null) return content;
  } catch {
    // Discards the error: its message quotes the text, which may be secret.
  }
  throw new AgentFailure(`${path} is not a JSON object.`);
}
