/** The queue for the sealing thread: one call at a time, callers in turn, limits on number and age. Runs the thread. */
import { type MessagePort, Worker } from 'node:worker_threads';
import { getThreadOptions } from '#platform/cache-folder.ts';
import { MINUTE_MS, SECOND_MS } from '#platform/durations.ts';
import { ServiceError } from '#platform/errors.ts';
import { type Log, toErrorTrace } from '#platform/log.ts';

const MAX_WAITING = 64;
const MAX_WAIT_MS = SECOND_MS;
/** An idle thread would keep its memory. */
const IDLE_MS = 2 * MINUTE_MS;
/** Ends a runaway thread; the bytes that it seals are outside the heap. */
const HEAP_MB = 128;
/** Small, so that it is collected often: that also frees the sealed chunks of files, which are outside the heap. */
const YOUNG_HEAP_MB = 3;

export interface QueuedCall {
  readonly message: unknown;
  readonly transfer: readonly MessagePort[];
  /** The call continues an admitted request: refusing it now would lose what was done and written so far. */
  readonly admitted: boolean;
  /** The caller that the call is for; empty if there is none. */
  readonly caller: string;
  /** Runs before all others, so that the desk can sign in whatever buyers do. */
  readonly isUrgent: boolean;
}

interface WaitingCall extends QueuedCall {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  timer?: NodeJS.Timeout;
}

interface SealingQueueOptions {
  readonly entry: URL;
  readonly log: Log;
  /** While it returns true, an idle thread is not ended. */
  readonly isInUse: () => boolean;
}

export class SealingQueue {
  readonly #options: SealingQueueOptions;
  readonly #urgent = new CallerTurns<WaitingCall>();
  readonly #waiting = new CallerTurns<WaitingCall>();
  #running: WaitingCall | null = null;
  #worker: Worker | null = null;
  #hasAnswered = false;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: SealingQueueOptions) {
    this.#options = options;
  }

  /** Resolves to the thread's answer. */
  async run(call: QueuedCall): Promise<unknown> {
    if (this.#isClosed) throw new ServiceError('sealing_unavailable');
    const line = this.#findLine(call);
    if (!call.admitted && line.size >= MAX_WAITING) throw new ServiceError('overloaded');
    return await new Promise<unknown>((resolve, reject) => {
      const waiting: WaitingCall = { ...call, resolve, reject };
      if (!call.admitted) this.#limitWait(waiting);
      line.add(waiting);
      this.#runNext();
    });
  }

  /** Unanswered calls fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const call of this.#listWaiting()) {
      clearTimeout(call.timer);
      this.#findLine(call).delete(call);
      call.reject(new ServiceError('sealing_unavailable'));
    }
    const ended = this.#endThread();
    this.#failRunning();
    await ended;
  }

  #findLine({ isUrgent }: QueuedCall): CallerTurns<WaitingCall> {
    return isUrgent ? this.#urgent : this.#waiting;
  }

  #listWaiting(): WaitingCall[] {
    return [...this.#urgent.list(), ...this.#waiting.list()];
  }

  #limitWait(call: WaitingCall): void {
    call.timer = setTimeout(() => {
      // Waiting for the thread to start is no sign of too many calls.
      if (!this.#hasAnswered) return this.#limitWait(call);
      this.#findLine(call).delete(call);
      call.reject(new ServiceError('overloaded'));
    }, MAX_WAIT_MS);
  }

  /** Until the thread's first answer, all calls have waited only for it to start. */
  #resetWaits(): void {
    for (const call of this.#listWaiting()) {
      if (!call.timer) continue;
      clearTimeout(call.timer);
      this.#limitWait(call);
    }
  }

  #runNext(): void {
    if (this.#running) return;
    const next = this.#urgent.take() ?? this.#waiting.take();
    if (next) this.#startCall(next);
    else this.#releaseThread();
  }

  #startCall(next: WaitingCall): void {
    clearTimeout(next.timer);
    clearTimeout(this.#idleTimer);
    this.#running = next;
    try {
      this.#worker ??= this.#startThread();
      this.#worker.ref();
      this.#worker.postMessage(next.message, next.transfer);
    } catch (error) {
      // Without a worker, no thread could be started: there are too many, or no memory.
      this.#takeRunning()?.reject(
        this.#worker ? error : new ServiceError('sealing_unavailable', { cause: error }),
      );
      this.#runNext();
    }
  }

  #releaseThread(): void {
    // An idle thread must not keep the process alive.
    this.#worker?.unref();
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (this.#options.isInUse()) this.#releaseThread();
      else void this.#endThread();
    }, IDLE_MS).unref();
  }

  #startThread(): Worker {
    this.#hasAnswered = false;
    const worker = new Worker(this.#options.entry, {
      ...getThreadOptions(),
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    });
    let failure: unknown;
    worker.on('message', (answer: unknown) => {
      if (!this.#hasAnswered) this.#resetWaits();
      this.#hasAnswered = true;
      this.#takeRunning()?.resolve(answer);
      this.#runNext();
    });
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#options.log.event('sealing_thread_ended', failure ? toErrorTrace(failure) : {});
      this.#failRunning();
      this.#runNext();
    });
    return worker;
  }

  /** Only the call that ran is lost: the next one starts a new thread. */
  #failRunning(): void {
    this.#takeRunning()?.reject(new ServiceError('sealing_unavailable'));
  }

  #takeRunning(): WaitingCall | null {
    const call = this.#running;
    this.#running = null;
    return call;
  }

  async #endThread(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

/** Waiting calls, in one line per caller: the lines take turns, however many calls a caller has. */
class CallerTurns<Call extends { readonly caller: string }> {
  /** The caller whose turn is next comes first. */
  readonly #lines = new Map<string, Call[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(call: Call): void {
    const line = this.#lines.get(call.caller);
    if (line) line.push(call);
    else this.#lines.set(call.caller, [call]);
    this.#size += 1;
  }

  take(): Call | undefined {
    const [next] = this.#lines;
    if (!next) return undefined;
    const [caller, line] = next;
    const call = line.shift();
    this.#size -= 1;
    this.#lines.delete(caller);
    if (line.length > 0) this.#lines.set(caller, line);
    return call;
  }

  delete(call: Call): void {
    const left = this.#lines.get(call.caller)?.filter((one) => one !== call) ?? [];
    if (left.length > 0) this.#lines.set(call.caller, left);
    else this.#lines.delete(call.caller);
    this.#size -= 1;
  }

  list(): Call[] {
    return [...this.#lines.values()].flat();
  }
}
