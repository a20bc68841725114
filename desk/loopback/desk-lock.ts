/** The lock of the desk: discards the unlocked desk after some idle minutes, on a signal, or on demand. */
import type { UnlockedDesk } from './page-route.ts';

export const IDLE_MINUTES = 15;
const IDLE_MS = IDLE_MINUTES * 60_000;

export type LockReason = 'start' | 'idle' | 'button' | 'signal';

export interface LockState {
  readonly reason: LockReason;
  readonly since: Date;
}

/** Also checks the clocks at every use: while a machine sleeps, its timers stop. */
export class DeskLock<Desk extends UnlockedDesk> {
  readonly #clocks: TwoClocks;
  readonly #onLock: (state: LockState) => void;
  #held: { readonly desk: Desk; readonly ended: AbortController } | null = null;
  #state: LockState;
  #usedAt: ClockMark;
  #orders = 0;
  #forgetting: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { readonly clocks?: TwoClocks; readonly onLock?: (state: LockState) => void } = {}) {
    const { clocks = systemClocks, onLock = () => {} } = options;
    this.#clocks = clocks;
    this.#onLock = onLock;
    this.#state = { reason: 'start', since: new Date(clocks.readWall()) };
    this.#usedAt = markTime(clocks);
  }

  /** Null while the desk is unlocked. */
  get state(): LockState | null {
    this.#lockIfIdle();
    return this.#held ? null : this.#state;
  }

  /** Returns the unlocked desk for an investigator at work, and restarts the idle time. */
  takeDesk(): { readonly desk: Desk; readonly signal: AbortSignal } | null {
    this.#lockIfIdle();
    if (!this.#held) return null;
    this.#usedAt = markTime(this.#clocks);
    return { desk: this.#held.desk, signal: this.#held.ended.signal };
  }

  /** Returns the unlocked desk for a page that is only open, without restarting the idle time. */
  get desk(): Desk | null {
    this.#lockIfIdle();
    return this.#held?.desk ?? null;
  }

  /** How many times `lock` was called, whether or not there was anything to lock. */
  get orders(): number {
    return this.#orders;
  }

  hold(desk: Desk): void {
    this.lock('button');
    this.#held = { desk, ended: new AbortController() };
    this.#usedAt = markTime(this.#clocks);
    this.#timer = setInterval(() => this.#lockIfIdle(), 10_000).unref();
  }

  /** Aborts running requests; a desk that is already locked does not change. */
  lock(reason: LockReason): void {
    this.#orders += 1;
    if (!this.#held) return;
    const { desk, ended } = this.#held;
    this.#held = null;
    clearInterval(this.#timer);
    this.#state = { reason, since: new Date(this.#clocks.readWall()) };
    ended.abort();
    // Signing out may fail, for example if the office is unreachable; by then the desk has forgotten everything.
    this.#forgetting = desk.forget().catch(() => {});
    this.#onLock(this.#state);
  }

  /** Waits until the last sign-out has ended. */
  async settle(): Promise<void> {
    await this.#forgetting;
  }

  #lockIfIdle(): void {
    if (this.#held && measureSince(this.#usedAt, this.#clocks) >= IDLE_MS) this.lock('idle');
  }
}

export interface TwoClocks {
  /** Wall time: continues during sleep, and jumps when it is set. */
  readonly readWall: () => number;
  /** Never goes back, but stops during sleep. */
  readonly readSteady: () => number;
}

export interface ClockMark {
  readonly wall: number;
  readonly steady: number;
}

export const systemClocks: TwoClocks = { readWall: Date.now, readSteady: () => performance.now() };

export function markTime({ readWall, readSteady }: TwoClocks): ClockMark {
  return { wall: readWall(), steady: readSteady() };
}

/** In milliseconds. */
export function measureSince({ wall, steady }: ClockMark, { readWall, readSteady }: TwoClocks): number {
  return Math.max(readWall() - wall, readSteady() - steady);
}
