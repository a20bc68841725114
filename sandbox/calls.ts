/** Counts API calls and records the latest parameters of created sessions, for tests. */
import type { RawParameters } from './form.ts';

export interface SessionCreateCall {
  readonly idempotency_key: string | null;
  readonly params: RawParameters;
}

const MAX_RECORDED_CREATES = 100;

export class CallRecorder {
  #counts = new Map<string, number>();
  #creates: SessionCreateCall[] = [];

  countCall(call: string): void {
    this.#counts.set(call, (this.#counts.get(call) ?? 0) + 1);
  }

  recordCreate(create: SessionCreateCall): void {
    this.#creates = [...this.#creates, create].slice(-MAX_RECORDED_CREATES);
  }

  clear(): void {
    this.#counts = new Map();
    this.#creates = [];
  }

  toReport(): { counts: Record<string, number>; session_creates: readonly SessionCreateCall[] } {
    return { counts: Object.fromEntries(this.#counts), session_creates: this.#creates };
  }
}
