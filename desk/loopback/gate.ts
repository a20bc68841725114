/** Decides which requests the desk answers: only those of its own pages, in the one browser that entered. */
import type { IncomingMessage } from 'node:http';
import { ENTRY_PATH, PROOF_PATH } from './entry.ts';

/** A status without a body; null lets the request pass. */
export type Refusal = 403 | 405 | 421;

const METHODS = new Set(['GET', 'POST']);
/** What our pages load, which includes no frame and no worker. */
const OWN_DESTINATIONS = new Set(['document', 'style', 'script', 'font', 'image']);

/** What their script fetches: the proof, and the saving of a draft. */
const OWN_FETCHES = [new RegExp(`^GET ${PROOF_PATH}\\?`), /^POST \/cases\/[\w-]+\/drafts$/];

/** Sent with prefetches, for the script of a service worker, and by programs that wait for `100 Continue`. */
const UNWANTED_HEADERS = ['sec-purpose', 'service-worker', 'expect'];

/**
 * The host is checked first: under DNS rebinding the browser mistakes another site's page for ours, and sends
 * neither `Origin` nor `Sec-Fetch-Site`. A request without `Sec-Fetch-Site` is refused as well.
 */
export function inspectRequest(facts: RequestFacts, origin: string): Refusal | null {
  if (readSingleHeader(facts, 'host') !== new URL(origin).host) return 421;
  // RFC 9112 §3.2.2: a target in absolute form could name a host other than the header's.
  if (!facts.target.startsWith('/')) return 421;
  if (!METHODS.has(facts.method)) return 405;
  if (UNWANTED_HEADERS.some((name) => facts.headers.has(name))) return 403;
  return isFromOwnPage(facts) && hasOwnOrigin(facts, origin) ? null : 403;
}

function isFromOwnPage(facts: RequestFacts): boolean {
  const site = readSingleHeader(facts, 'sec-fetch-site');
  const destination = readSingleHeader(facts, 'sec-fetch-dest') ?? '';
  const isFetch =
    destination === 'empty' && OWN_FETCHES.some((known) => known.test(`${facts.method} ${facts.target}`));
  if (!OWN_DESTINATIONS.has(destination) && !isFetch) return false;
  if (site === 'same-origin') return true;
  const isVisit =
    facts.method === 'GET' &&
    destination === 'document' &&
    readSingleHeader(facts, 'sec-fetch-mode') === 'navigate';
  // A typed or bookmarked address. The entry is also opened from a private file; its secret decides.
  return isVisit && (site === 'none' || (site === 'cross-site' && facts.target.startsWith(ENTRY_PATH)));
}

/** Browsers send `Origin` with every form; a page that hides its origin sends `null`. */
function hasOwnOrigin(facts: RequestFacts, origin: string): boolean {
  if (facts.method === 'GET' && !facts.headers.has('origin')) return true;
  return readSingleHeader(facts, 'origin') === origin;
}

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
