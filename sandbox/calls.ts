/** Counts the calls of the API and keeps the latest create parameters, for tests to look at. */
import type { RawObject } from './form.ts';

export interface CreateCall {
  readonly idempotency_key: string | null;
  readonly params: RawObject;
}

const KEPT = 100;

export class Calls {
  #counts = new Map<string, number>();
  #creates: CreateCall[] = [];

  count(call: string): void {
    this.#counts.set(call, (this.#counts.get(call) ?? 0) + 1);
  }

  keepCreate(create: CreateCall): void {
    this.#creates = [...this.#creates, create].slice(-KEPT);
  }

  clear(): void {
    this.#counts = new Map();
    this.#creates = [];
  }

  report(): { counts: Record<string, number>; session_creates: readonly CreateCall[] } {
    return { counts: Object.fromEntries(this.#counts), session_creates: this.#creates };
  }
}
