/** Preloaded into each measured server: reports its CPU time and memory when the bench asks. */
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  const { pid } = process;
  process.send?.({ pid, cpuMicroseconds: user + system, rssBytes: process.memoryUsage().rss });
});
// The bench has ended, and nobody else would stop this server.
process.on('disconnect', () => process.exit());
process.channel?.unref();
