/** A waiting line: first come, first served; a member that waits too long is refused before it begins. */
import { ServiceError } from './errors.ts';

/** More would wait too long anyway, and each holds a request in memory. */
const MAX_WAITING = 2_000;
const CHECK_MS = 100;

interface Waiter {
  readonly reject: (error: unknown) => void;
}

interface Place<Member> {
  readonly member: Member;
  readonly since: number;
  readonly maxWaitMs: number;
}

export class WaitingLine<Member extends Waiter> {
  #places: Place<Member>[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Refuses at once if the line is full, unless the member waits for as long as it takes. */
  join(member: Member, maxWaitMs: number): void {
    if (this.#places.length >= MAX_WAITING && maxWaitMs !== Infinity) {
      member.reject(new ServiceError('overloaded'));
      return;
    }
    this.#places.push({ member, since: performance.now(), maxWaitMs });
    // Refuses on a timer, so that a slow commit does not keep members waiting.
    this.#timer ??= setInterval(() => this.#refuseLate(), CHECK_MS).unref();
  }

  get isEmpty(): boolean {
    return this.#places.length === 0;
  }

  /** How long the first member with a limit has waited. */
  get waitMs(): number {
    const first = this.#places.find(({ maxWaitMs }) => maxWaitMs !== Infinity);
    return first ? performance.now() - first.since : 0;
  }

  take(limit: number): Member[] {
    this.#refuseLate();
    return this.#places.splice(0, limit).map(({ member }) => member);
  }

  /** Removes and returns the first member that is ready; those before it stay in place. */
  takeReady(isReady: (member: Member) => boolean): Member | undefined {
    this.#refuseLate();
    const place = this.#places.findIndex(({ member }) => isReady(member));
    return place < 0 ? undefined : this.#places.splice(place, 1)[0]?.member;
  }

  #refuseLate(): void {
    const now = performance.now();
    const isLate = ({ since, maxWaitMs }: Place<Member>) => now - since > maxWaitMs;
    if (this.#places.some(isLate)) {
      const late = this.#places.filter(isLate);
      this.#places = this.#places.filter((place) => !isLate(place));
      for (const { member } of late) member.reject(new ServiceError('overloaded'));
    }
    if (!this.isEmpty) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
