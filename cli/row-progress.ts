/** Shows on standard error how many rows a command has looked at: in place on a terminal, else one line at the end. */
import { getIo } from './io.ts';

const REDRAW_MS = 100;
const LABEL_WIDTH = 32;

export interface RowProgress {
  readonly add: (count: number) => void;
  readonly finish: () => void;
}

export function createRowProgress(label: string, total: number): RowProgress {
  const { isTTY } = getIo().stderr;
  let done = 0;
  let drawnAt = 0;
  const formatLine = () => `${label.padEnd(LABEL_WIDTH)} ${done} of ${Math.max(done, total)}`;
  return {
    add: (count) => {
      done += count;
      if (!isTTY || performance.now() - drawnAt < REDRAW_MS) return;
      drawnAt = performance.now();
      getIo().stderr.write(`\r${formatLine()}`);
    },
    finish: () => void getIo().stderr.write(`${isTTY ? '\r' : ''}${formatLine()}\n`),
  };
}
