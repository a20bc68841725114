/** Preloaded into a server whose turns are measured: reports the longest stop of its event loop since it was last asked. */

/** A timer that comes late shows that the loop was busy. Nothing is subtracted, not even the time between two ticks. */
const TICK_MS = 2;

let last = readMoment();
let longest = { ms: 0, cpuMs: 0 };

/** The CPU time of the thread tells work from waiting for the disk or for a core. */
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

process.on('message', (message) => {
  if (message !== 'turns') return;
  process.send?.(longest);
  longest = { ms: 0, cpuMs: 0 };
});
