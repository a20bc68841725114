/** The processor time of this thread: not the time in which another program, or another thread, had the processor. */
export function readProcessorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
