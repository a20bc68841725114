/** The streams and environment of a command: those of this process, or those that its caller passes. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '#platform/config/environment.ts';

export interface CommandIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Environment;
}

const runs = new AsyncLocalStorage<CommandIo>();

export async function withIo<Result>(io: CommandIo, work: () => Promise<Result>): Promise<Result> {
  return await runs.run(io, work);
}

/** A context rather than an argument, because progress and warnings are written far below the commands. */
export function getIo(): CommandIo {
  return runs.getStore() ?? process;
}
