/** Remembers the answer to every keyed request, so that a repeated request changes nothing. */
import { createHash } from 'node:crypto';
import { ApiError, invalidRequest } from './errors.ts';
import type { RawObject } from './form.ts';
import type { State } from './state.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The request that did the work. */
  readonly request: string;
}

const KEPT_MS = 24 * 3_600_000;
const MAX_KEY_LENGTH = 255;

export class Idempotency {
  readonly #state: State;
  readonly #inUse = new Set<string>();

  constructor(state: State) {
    this.#state = state;
    state.run('DELETE FROM answers WHERE created < ?', Date.now() - KEPT_MS);
  }

  /** Holds the key while its request is worked on; a second request meanwhile is a conflict. */
  claim(key: string): { release: () => void } {
    if (key.length > MAX_KEY_LENGTH) {
      throw invalidRequest(`An idempotency key has at most ${MAX_KEY_LENGTH} characters.`);
    }
    if (this.#inUse.has(key)) {
      const message = 'Another request with this idempotency key is being worked on.';
      throw new ApiError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message });
    }
    this.#inUse.add(key);
    return { release: () => this.#inUse.delete(key) };
  }

  /** The answer given before; the same key for another request is refused. */
  recall(key: string, fingerprint: string): Answer | undefined {
    const sql = 'SELECT fingerprint, request, status, body FROM answers WHERE key = ? AND created >= ?';
    const [known] = this.#state.rows<Answer & { fingerprint: string }>(sql, key, Date.now() - KEPT_MS);
    if (known !== undefined && known.fingerprint !== fingerprint) {
      const message = 'This idempotency key was used for another request, or with other parameters.';
      throw new ApiError(400, { type: 'idempotency_error', message });
    }
    return known && { status: known.status, body: known.body, request: known.request };
  }

  /** Belongs into the transaction of the work itself, so that neither is kept without the other. */
  remember(key: string, fingerprint: string, answer: Answer): void {
    this.#state.run(
      'INSERT OR REPLACE INTO answers (key, fingerprint, request, status, body, created) VALUES (?, ?, ?, ?, ?, ?)',
      key,
      fingerprint,
      answer.request,
      answer.status,
      answer.body,
      Date.now(),
    );
  }
}

/** Equal for equal requests, whatever the order of their parameters. */
export function fingerprintOf(method: string, path: string, parameters: RawObject): string {
  return createHash('sha256')
    .update(`${method} ${path} ${JSON.stringify(sorted(parameters))}`)
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}
