/** Measures elapsed time by whichever of two clocks shows more: one stops during sleep, the other can be set back. */

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
