/** What an agent prints for the person who started it, and what it must not lose: credentials, purchase, words. */
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
import type { FieldError } from '#seal/form/fields.ts';

/** sysexits.h: EX_USAGE. */
export const EXIT_USAGE = 64;

/** Shown without a stack. */
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

/** Nothing in it may steer the terminal, hide from a reader or reorder the text. */
export function printText(text: string): void {
  console.log(replaceUnseen(text));
}

/** Escaped, so that a program that parses it gets what was sent. */
export function printJson(value: unknown): void {
  console.log(escapeUnseenInJson(JSON.stringify(value, null, 2)));
}

interface AgentFacts {
  readonly site?: string;
  readonly registration?: { readonly id: string; readonly statusUri: string; readonly token: string };
  readonly credentials?: { readonly clientId: string; readonly clientSecret: string };
  readonly checkout?: { readonly key: string; readonly tier: string };
  readonly orderId?: string;
  /** Open the case; without them the finding cannot be read. */
  readonly words?: string;
  readonly caseId?: string;
}

/** A private file, from which each step continues. */
export class AgentState {
  readonly file: string;
  facts: AgentFacts;

  constructor(file: string) {
    this.file = file;
    this.facts = existsSync(file) ? readJsonFile(file) : {};
  }

  /** Call it before the next step: what is not stored is lost when the process ends. */
  store(change: AgentFacts): void {
    this.facts = { ...this.facts, ...change };
    const draft = `${this.file}.new`;
    // Removes what an interrupted process left; `wx` writes to no file or link that was made in its place meanwhile.
    rmSync(draft, { force: true });
    // Flushed to disk, then renamed: words that are lost in a power cut cannot be recovered.
    const text = `${JSON.stringify(this.facts, null, 2)}\n`;
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, this.file);
    flushFolder(dirname(this.file));
  }
}

/** Without this, a power cut may undo the renaming of a file. */
function flushFolder(path: string): void {
  // Windows flushes no folders.
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
    // No cause: the parser's message quotes the text, which may be secret.
  }
  throw new AgentFailure(`${path} is not a JSON object.`);
}
