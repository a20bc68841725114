/** A thread that a test controls: it responds, ends, throws, or works for a while. */
import { parentPort } from 'node:worker_threads';

export type ThreadOrder = { readonly work: number } | 'answer' | 'exit' | 'throw' | 'environment';

const sleeper = new Int32Array(new SharedArrayBuffer(4));

parentPort?.on('message', (order: ThreadOrder) => {
  if (order === 'exit') process.exit(1);
  if (order === 'throw') throw new TypeError('quotes a secret');
  if (typeof order === 'object') Atomics.wait(sleeper, 0, 0, order.work);
  parentPort?.postMessage(order === 'environment' ? Object.keys(process.env) : 'done');
});
