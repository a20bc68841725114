/** Remembers the answer to every keyed request, so that a repeated request changes nothing. */
import { createHash } from 'node:crypto';
import { createInvalidRequestError, ProviderApiError } from './errors.ts';
import type { RawParameters } from './form.ts';
import type { SandboxState } from './state.ts';

export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  /** The request that did the work. */
  readonly request: string;
}

const KEPT_MS = 24 * 3_600_000;
const MAX_KEY_LENGTH = 255;

export class IdempotencyStore {
  readonly #state: SandboxState;
  readonly #inUse = new Set<string>();

  constructor(state: SandboxState) {
    this.#state = state;
    state.runStatement('DELETE FROM answers WHERE created < ?', Date.now() - KEPT_MS);
  }

  /** Holds the key while its request is worked on; a second request meanwhile is a conflict. */
  claimKey(key: string): { release: () => void } {
    if (key.length > MAX_KEY_LENGTH) {
      throw createInvalidRequestError(`An idempotency key has at most ${MAX_KEY_LENGTH} characters.`);
    }
    if (this.#inUse.has(key)) {
      const message = 'Another request with this idempotency key is being worked on.';
      throw new ProviderApiError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message });
    }
    this.#inUse.add(key);
    return { release: () => this.#inUse.delete(key) };
  }

  /** The answer given before; the same key for another request is refused. */
  findAnswer(key: string, fingerprint: string): StoredAnswer | undefined {
    const sql = 'SELECT fingerprint, request, status, body FROM answers WHERE key = ? AND created >= ?';
    const [known] = this.#state.queryRows<StoredAnswer & { fingerprint: string }>(
      sql,
      key,
      Date.now() - KEPT_MS,
    );
    if (known !== undefined && known.fingerprint !== fingerprint) {
      const message = 'This idempotency key was used for another request, or with other parameters.';
      throw new ProviderApiError(400, { type: 'idempotency_error', message });
    }
    return known && { status: known.status, body: known.body, request: known.request };
  }

  /** Belongs into the transaction of the work itself, so that neither is kept without the other. */
  storeAnswer(key: string, fingerprint: string, answer: StoredAnswer): void {
    this.#state.runStatement(
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
export function computeRequestFingerprint(method: string, path: string, parameters: RawParameters): string {
  return createHash('sha256')
    .update(`${method} ${path} ${JSON.stringify(sortKeys(parameters))}`)
    .digest('hex');
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, inner]) => [name, sortKeys(inner)]);
}
