/** How far a large file has come: a bar on a terminal, one line elsewhere; always on standard error. */
import { formatFileSize } from '#seal/inquiry-text.ts';
import { terminalSafe } from './terminal-text.ts';

const WIDTH = 24;
const LABEL = 32;
const REDRAW_MS = 100;

/** The same stream, shown as it passes. */
export function withProgress(
  stream: ReadableStream<Uint8Array>,
  name: string,
  size: number,
): ReadableStream<Uint8Array> {
  const label = terminalSafe.line(name).slice(0, LABEL);
  const { isTTY } = process.stderr;
  let passed = 0;
  let drawnAt = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        passed += chunk.length;
        if (isTTY && performance.now() - drawnAt > REDRAW_MS) {
          drawnAt = performance.now();
          process.stderr.write(`\r${formatProgressBar(label, passed, size)}`);
        }
        controller.enqueue(chunk);
      },
      cancel: () => {
        if (isTTY) process.stderr.write('\n');
      },
      flush: () => {
        process.stderr.write(
          isTTY ? `\r${formatProgressBar(label, passed, passed)}\n` : `${label}: ${formatFileSize(passed)}\n`,
        );
      },
    }),
  );
}

function formatProgressBar(label: string, passed: number, size: number): string {
  const share = size === 0 ? 1 : Math.min(1, passed / size);
  const filled = Math.round(share * WIDTH);
  const drawn = `${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}`;
  return `${label.padEnd(LABEL)} ${drawn} ${String(Math.floor(share * 100)).padStart(3)} % of ${formatFileSize(size)}`;
}
