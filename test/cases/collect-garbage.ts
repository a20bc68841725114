/** Loaded into a service whose memory is measured, so that memory that V8 could collect does not count. */
const REST_MS = 50;
/** Limits the collection to a quarter of the time, however slow the machine is. */
const REST_FACTOR = 3;

function collectGarbage(): void {
  const start = performance.now();
  globalThis.gc?.();
  setTimeout(collectGarbage, Math.max(REST_MS, REST_FACTOR * (performance.now() - start))).unref();
}

collectGarbage();
