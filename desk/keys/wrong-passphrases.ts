/** Slows down a stranger who tries one passphrase after another in the browser of a locked desk. */

/** Slips of a person who knows it. */
const FREE_ATTEMPTS = 3;
const MAX_WAIT_SECONDS = 60;

export class WrongPassphrases {
  readonly #readSteadyClock: () => number;
  #count = 0;
  #lastAt = 0;

  /** By a clock that cannot be set. */
  constructor(readSteadyClock: () => number = () => performance.now()) {
    this.#readSteadyClock = readSteadyClock;
  }

  /** Until the next attempt; 0 if it may be made now. */
  get waitSeconds(): number {
    if (this.#count < FREE_ATTEMPTS) return 0;
    const wait = Math.min(2 ** (this.#count - FREE_ATTEMPTS + 1), MAX_WAIT_SECONDS);
    return Math.max(0, Math.ceil(wait - (this.#readSteadyClock() - this.#lastAt) / 1000));
  }

  record(): void {
    this.#count += 1;
    this.#lastAt = this.#readSteadyClock();
  }

  clear(): void {
    this.#count = 0;
  }
}
