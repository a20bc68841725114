/** Shows how many of many things are done, on standard error: a bar on a terminal, else nothing. */
import { getIo } from './io.ts';

const BAR_WIDTH = 24;
const REDRAW_MS = 100;

export interface CountProgress {
  readonly advance: () => void;
  readonly end: () => void;
}

export function createCountProgress(label: string, total: number): CountProgress {
  const { isTTY } = getIo().stderr;
  let done = 0;
  let drawnAt = 0;
  const draw = () => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const filled = Math.round(share * BAR_WIDTH);
    const bar = `${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}`;
    getIo().stderr.write(`\r${label} ${bar} ${done} of ${Math.max(done, total)}`);
  };
  return {
    advance: () => {
      done += 1;
      if (!isTTY || performance.now() - drawnAt < REDRAW_MS) return;
      drawnAt = performance.now();
      draw();
    },
    end: () => {
      if (!isTTY || total === 0) return;
      draw();
      getIo().stderr.write('\n');
    },
  };
}
