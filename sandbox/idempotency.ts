/** Stores the response to every request with an idempotency key, so that a repeated request changes nothing. */
import { hash } from 'node:crypto';
import { ProviderApiError } from './errors.ts';
import type { RawParameters } from './parameters.ts';
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
      throw new ProviderApiError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message });
    }
    this.#inUse.add(key);
    return { release: () => this.#inUse.delete(key) };
  }

  /** Returns the body of the stored response; refuses the key if it was used for another request. */
  findResponse(key: string, fingerprint: string): string | undefined {
    const [row] = this.#state.queryRows<{ fingerprint: string; body: string }>(
      'SELECT fingerprint, body FROM responses WHERE key = ? AND created >= ?',
      key,
      Date.now() - KEY_LIFETIME_MS,
    );
    if (row !== undefined && row.fingerprint !== fingerprint) {
      const message = 'This idempotency key was used for another request, or with other parameters.';
      throw new ProviderApiError(400, { type: 'idempotency_error', message });
    }
    return row?.body;
  }

  /** Call this in the transaction of the call itself, so that both are stored or neither. */
  storeResponse(key: string, fingerprint: string, body: string): void {
    this.#state.runStatement(
      'INSERT OR REPLACE INTO responses (key, fingerprint, body, created) VALUES (?, ?, ?, ?)',
      key,
      fingerprint,
      body,
      Date.now(),
    );
  }
}

export function computeRequestFingerprint(method: string, path: string, parameters: RawParameters): string {
  return hash('sha256', `${method} ${path} ${JSON.stringify(parameters)}`);
}
