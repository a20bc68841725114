/** What an agent must not lose, in a file for its owner alone: credentials, purchase, and the words of the case. */
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
import { AgentFailure } from './failure.ts';

export interface PendingRegistration {
  readonly id: string;
  readonly statusUri: string;
  readonly token: string;
}

export interface AgentCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface AgentFacts {
  readonly site?: string;
  readonly registration?: PendingRegistration;
  readonly credentials?: AgentCredentials;
  readonly checkout?: { readonly key: string; readonly tier: string };
  readonly orderId?: string;
  /** Open the case; without them the finding cannot be read. */
  readonly words?: string;
  readonly caseId?: string;
}

export class AgentState {
  readonly #file: string;
  #facts: AgentFacts;

  constructor(file: string) {
    this.#file = file;
    this.#facts = existsSync(file) ? readJsonFile(file) : {};
  }

  get facts(): AgentFacts {
    return this.#facts;
  }

  get file(): string {
    return this.#file;
  }

  /** Call it before each next step: what is not stored is lost when the process ends. */
  store(change: AgentFacts): void {
    this.#facts = { ...this.#facts, ...change };
    // Written and renamed, so that an interrupted process leaves the old file as it was.
    // On the disk before it is relied on: words lost in a power cut cannot be made again.
    const text = `${JSON.stringify(this.#facts, null, 2)}\n`;
    const draft = `${this.#file}.new`;
    // What an interrupted process left goes; what is made in its place meanwhile, be it a link, is not written to.
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, this.#file);
    flushFolder(dirname(this.#file));
  }
}

/** Otherwise a power cut may undo the new name of a file. */
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

/** Reads a file that should be a JSON object. */
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
