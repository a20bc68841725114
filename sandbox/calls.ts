/** Counts the calls of the API and keeps the latest create parameters, for tests to look at. */
import type { RawParameters } from './form.ts';

export interface SessionCreateCall {
  readonly idempotency_key: string | null;
  readonly params: RawParameters;
}

const KEPT = 100;

export class CallRecorder {
  #counts = new Map<string, number>();
  #creates: SessionCreateCall[] = [];

  countCall(call: string): void {
    this.#counts.set(call, (this.#counts.get(call) ?? 0) + 1);
  }

  recordCreate(create: SessionCreateCall): void {
    this.#creates = [...this.#creates, create].slice(-KEPT);
  }

  clear(): void {
    this.#counts = new Map();
    this.#creates = [];
  }

  toReport(): { counts: Record<string, number>; session_creates: readonly SessionCreateCall[] } {
    return { counts: Object.fromEntries(this.#counts), session_creates: this.#creates };
  }
}
