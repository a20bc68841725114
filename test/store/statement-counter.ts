/** Counts the statements that reach either engine: each is one call of its driver. */
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { Client } from 'pg';

export interface CountedStatement {
  readonly text: string;
  /** Null if the server parses and plans it each time. */
  readonly name: string | null;
}

let counted: CountedStatement[] | null = null;
/** Statements that are not counted: pragmas, and those of the sandbox, which are in capitals. */
const OTHERS = /^(pragma|[A-Z])/;

/** Returns all statements of this process until the work ends, including those that begin and end transactions. */
export async function countStatements(work: () => Promise<unknown>): Promise<CountedStatement[]> {
  watchDrivers();
  const statements: CountedStatement[] = [];
  counted = statements;
  try {
    await work();
  } finally {
    counted = null;
  }
  return statements.filter(({ text }) => !OTHERS.test(text));
}

let isWatching = false;

/** To be called before the first connection, because the pool stores each connection's functions. */
export function watchDrivers(): void {
  if (isWatching) return;
  isWatching = true;
  const readText = ({ sourceSQL: text }: StatementSync) => ({ text, name: null });
  watchCalls(StatementSync.prototype, 'all', readText);
  watchCalls(StatementSync.prototype, 'run', readText);
  watchCalls(DatabaseSync.prototype, 'exec', (_, text) => ({ text: String(text), name: null }));
  watchCalls(Client.prototype, 'query', (_, asked) => {
    if (typeof asked === 'string') return { text: asked, name: null };
    const { text = '', name = null } = asked as { text?: string; name?: string | null };
    return { text, name };
  });
}

function watchCalls<Target extends object>(
  prototype: Target,
  method: keyof Target & string,
  read: (target: Target, first: unknown) => CountedStatement,
): void {
  const call = prototype[method] as (...values: unknown[]) => unknown;
  Object.assign(prototype, {
    [method]: function watched(this: Target, ...values: unknown[]) {
      counted?.push(read(this, values[0]));
      return call.apply(this, values);
    },
  });
}
