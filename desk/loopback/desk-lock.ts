/** The lock of the desk: what was unlocked is dropped after idle minutes, on a signal, or on demand. */
import type { UnlockedDesk } from './page-route.ts';

export const IDLE_MINUTES = 15;
const IDLE_MS = IDLE_MINUTES * 60_000;

export type LockReason = 'start' | 'idle' | 'button' | 'signal';

export interface LockState {
  readonly reason: LockReason;
  readonly since: Date;
}

/** The clock is asked at every use as well: while a machine sleeps, its timers stand still. */
export class DeskLock<Desk extends UnlockedDesk> {
  readonly #now: () => number;
  readonly #onLock: (state: LockState) => void;
  #held: { readonly desk: Desk; readonly ended: AbortController } | null = null;
  #state: LockState;
  #usedAt = 0;
  #orders = 0;
  #forgetting: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor({ now = Date.now, onLock = () => {} }: DeskLockOptions = {}) {
    this.#now = now;
    this.#onLock = onLock;
    this.#state = { reason: 'start', since: new Date(now()) };
  }

  /** Null while the desk is unlocked. */
  get state(): LockState | null {
    this.#lockIfIdle();
    return this.#held ? null : this.#state;
  }

  /** What is unlocked, for somebody who is at work: the idle minutes begin again. */
  takeDesk(): { readonly desk: Desk; readonly signal: AbortSignal } | null {
    this.#lockIfIdle();
    if (!this.#held) return null;
    this.#usedAt = this.#now();
    return { desk: this.#held.desk, signal: this.#held.ended.signal };
  }

  /** How often it was told to lock, whether or not there was anything to lock. */
  get orders(): number {
    return this.#orders;
  }

  hold(desk: Desk): void {
    this.lock('button');
    this.#held = { desk, ended: new AbortController() };
    this.#usedAt = this.#now();
    this.#timer = setInterval(() => this.#lockIfIdle(), 10_000).unref();
  }

  /** Ends what is under way; a locked desk stays as it is. */
  lock(reason: LockReason): void {
    this.#orders += 1;
    if (!this.#held) return;
    const { desk, ended } = this.#held;
    this.#held = null;
    clearInterval(this.#timer);
    this.#state = { reason, since: new Date(this.#now()) };
    ended.abort();
    // Signing out may fail, as when the office is not reached; the desk has forgotten everything before.
    this.#forgetting = desk.forget().catch(() => {});
    this.#onLock(this.#state);
  }

  /** After the office was told. */
  async settle(): Promise<void> {
    await this.#forgetting;
  }

  #lockIfIdle(): void {
    if (this.#held && this.#now() - this.#usedAt >= IDLE_MS) this.lock('idle');
  }
}

interface DeskLockOptions {
  readonly now?: () => number;
  readonly onLock?: (state: LockState) => void;
}
