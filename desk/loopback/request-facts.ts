/** The parts of a request that the gate inspects: headers as received, so missing or duplicate ones are noticed. */
import type { IncomingMessage } from 'node:http';

export interface RequestFacts {
  readonly method: string;
  /** The request target as received (RFC 9112 §3.2). */
  readonly target: string;
  /** All values of each header, by its name in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

/** Not `request.headers`, where Node has already dropped or joined duplicates. */
export function readRequestFacts({ method, url, rawHeaders }: IncomingMessage): RequestFacts {
  const headers = new Map<string, string[]>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), rawHeaders[index + 1]!]);
  }
  return { method: method ?? '', target: url ?? '', headers };
}

/** Null unless the header was sent exactly once. */
export function readSingleHeader({ headers }: RequestFacts, name: string): string | null {
  const values = headers.get(name);
  return values?.length === 1 ? values[0]! : null;
}
