/** Shows progress on standard error: a bar or a count on a terminal, else one line at the end. */
import { formatFileSize } from '#seal/form/inquiry-text.ts';
import { getIo } from './io.ts';
import { terminalSafe } from './table.ts';

const BAR_WIDTH = 24;
const LABEL_WIDTH = 32;
const REDRAW_MS = 100;

/** Passes the stream through unchanged. */
export function withProgress(
  stream: ReadableStream<Uint8Array>,
  name: string,
  size: number,
): ReadableStream<Uint8Array> {
  const label = terminalSafe.line(name).slice(0, LABEL_WIDTH);
  const { isTTY } = getIo().stderr;
  const draw = createLineDrawer();
  let bytesDone = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        bytesDone += chunk.length;
        draw(() => formatFileLine(label, bytesDone, size));
        controller.enqueue(chunk);
      },
      cancel: () => {
        if (isTTY) getIo().stderr.write('\n');
      },
      flush: () => {
        getIo().stderr.write(
          isTTY
            ? `\r${formatFileLine(label, bytesDone, bytesDone)}\n`
            : `${label}: ${formatFileSize(bytesDone)}\n`,
        );
      },
    }),
  );
}

/** For many small pieces of work; there may be more of them than were counted. */
export function createCountProgress(label: string, total: number) {
  const { isTTY } = getIo().stderr;
  const draw = createLineDrawer();
  let done = 0;
  const formatLine = () => `${label.padEnd(LABEL_WIDTH)} ${done} of ${Math.max(done, total)}`;
  return {
    add: (count: number) => {
      done += count;
      draw(formatLine);
    },
    /** Prints nothing if there was nothing to do. */
    finish: () => {
      if (done + total > 0) getIo().stderr.write(`${isTTY ? '\r' : ''}${formatLine()}\n`);
    },
  };
}

/** Redraws in place, but not too often; draws nothing without a terminal. */
function createLineDrawer(): (formatLine: () => string) => void {
  const { stderr } = getIo();
  let drawnAt = 0;
  return (formatLine) => {
    if (!stderr.isTTY || performance.now() - drawnAt < REDRAW_MS) return;
    drawnAt = performance.now();
    stderr.write(`\r${formatLine()}`);
  };
}

function formatFileLine(label: string, bytesDone: number, size: number): string {
  const share = size === 0 ? 1 : Math.min(1, bytesDone / size);
  const filled = Math.round(share * BAR_WIDTH);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}`;
  return `${label.padEnd(LABEL_WIDTH)} ${bar} ${String(Math.floor(share * 100)).padStart(3)} % of ${formatFileSize(size)}`;
}
