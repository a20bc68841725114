/** Stores the response to every request with an idempotency key, so that a repeated request changes nothing. */
import { hash } from 'node:crypto';
import { ProviderApiError } from './errors.ts';
import type { SandboxState } from './state.ts';

const KEY_LIFETIME_MS = 24 * 3_600_000;

export class IdempotencyStore {
  readonly #state: SandboxState;
  readonly #inUse = new Set<string>();

  constructor(state: SandboxState) {
    this.#state = state;
    state.runStatement('DELETE FROM responses WHERE created < ?', Date.now() - KEY_LIFETIME_MS);
  }

  /** Locks the key while its request is being processed; a second request meanwhile is a conflict. */
  claimKey(key: string): { release: () => void } {
    if (this.#inUse.has(key)) {
      const message = 'Another request with this idempotency key is being worked on.';
      throw new ProviderApiError(409, message, { type: 'idempotency_error', code: 'idempotency_key_in_use' });
    }
    this.#inUse.add(key);
    return { release: () => this.#inUse.delete(key) };
  }

  /**
   * Returns the stored response, or works and stores the new one; refuses a key that was used for another request.
   * Call this in the transaction of the work, so that both are stored or neither.
   */
  performOnce(key: string, request: string, work: () => string): string {
    const now = Date.now();
    const fingerprint = hash('sha256', request);
    const [stored] = this.#state.queryRows<{ fingerprint: string; body: string }>(
      'SELECT fingerprint, body FROM responses WHERE key = ? AND created >= ?',
      key,
      now - KEY_LIFETIME_MS,
    );
    if (stored?.fingerprint === fingerprint) return stored.body;
    if (stored) {
      const message = 'This idempotency key was used for another request, or with other parameters.';
      throw new ProviderApiError(400, message, { type: 'idempotency_error' });
    }
    const body = work();
    const sql = 'INSERT OR REPLACE INTO responses (key, fingerprint, body, created) VALUES (?, ?, ?, ?)';
    this.#state.runStatement(sql, key, fingerprint, body, now);
    return body;
  }
}
