/** Preloaded into each measured server: reports its CPU time, its memory and the longest block of its event loop. */

/** A late timer shows that the loop was blocked. Nothing is subtracted, not even the time between two ticks. */
const TICK_MS = 2;
const MAX_STOP_MS = 20_000;

let last = readMoment();
let longest = { ms: 0, cpuMs: 0 };

/** Reads the thread's CPU time, which distinguishes work from waiting for the disk or for a core. */
function readMoment() {
  const { user, system } = process.threadCpuUsage();
  return { at: performance.now(), cpuMs: (user + system) / 1_000 };
}

setInterval(() => {
  const now = readMoment();
  const ms = now.at - last.at;
  if (ms > longest.ms) longest = { ms, cpuMs: now.cpuMs - last.cpuMs };
  last = now;
}, TICK_MS).unref();

process.on('message', (question) => {
  if (question === 'turns') {
    process.send?.(longest);
    longest = { ms: 0, cpuMs: 0 };
  }
  if (question === 'usage') {
    const { user, system } = process.cpuUsage();
    const { pid } = process;
    process.send?.({ pid, cpuMicroseconds: user + system, rssBytes: process.memoryUsage().rss });
  }
});
// Stops the server when the bench disconnects or ends. A tracer would intercept a signal from another process.
process.on('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(), MAX_STOP_MS).unref();
});
process.channel?.unref();
