/** The page's end of the worker: starts it, asks it, and hears of its progress. */
import { Fault } from './fault.ts';
import type { AnyJobs, JobName, Message, Progress } from './jobs.ts';

/** The address of the one worker that this page has, set when the scripts are bundled. */
declare const WORKER_PATH: string;

/** https://www.w3.org/TR/trusted-types/, of which the compiler knows nothing yet. */
declare const trustedTypes: {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): unknown };
};

/** Enough for a slow phone to load the worker; after that the page works as it does without a script. */
const START_MS = 30_000;

export interface PageWorker<Jobs extends AnyJobs> {
  ask<Name extends JobName<Jobs>>(
    job: Name,
    input: Jobs[Name]['input'],
    progress?: Progress,
  ): Promise<Jobs[Name]['answer']>;
  /** Forgets every key. */
  end(): void;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (fault: Fault) => void;
  readonly progress: Progress | undefined;
}

const BROKEN = {
  code: 'sealer_broken',
  sentence: 'This browser stopped sealing. Copy what you wrote, then load the page again.',
} as const;

export async function startWorker<Jobs extends AnyJobs>(): Promise<PageWorker<Jobs>> {
  const worker = new Worker(trustedAddress(), { type: 'module' });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  await firstMessage(worker);
  worker.addEventListener('message', ({ data }: MessageEvent<Message>) => pass(data, waiting));
  worker.addEventListener('error', () => {
    for (const { reject } of waiting.values()) reject(new Fault(BROKEN));
    waiting.clear();
  });
  return {
    ask: (job, input, progress) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject, progress });
        worker.postMessage({ id: last, job, input });
      }),
    end: () => worker.terminate(),
  };
}

/** Until now the page said what happens without a script. */
export function showDoneHere(): void {
  for (const note of document.querySelectorAll<HTMLElement>('#sealing-note > [data-when]'))
    note.hidden = note.dataset['when'] !== 'browser';
}

/** The page's content policy allows this one policy, which lets this one address through. */
function trustedAddress(): string {
  if (!('trustedTypes' in globalThis)) return WORKER_PATH;
  const policy = trustedTypes.createPolicy('sealer', {
    createScriptURL: (address) => {
      if (address !== WORKER_PATH) throw new TypeError('only the worker of this page may become one');
      return address;
    },
  });
  return policy.createScriptURL(WORKER_PATH) as string;
}

async function firstMessage(worker: Worker): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const failed = () => {
      worker.terminate();
      reject(new Fault(BROKEN));
    };
    const timer = setTimeout(failed, START_MS);
    const once = { once: true };
    worker.addEventListener('error', failed, once);
    worker.addEventListener(
      'message',
      ({ data }: MessageEvent<Message>) => {
        clearTimeout(timer);
        worker.removeEventListener('error', failed);
        if ('ready' in data && data.ready) resolve();
        else failed();
      },
      once,
    );
  });
}

function pass(message: Message, waiting: Map<number, Waiting>): void {
  if ('ready' in message) return;
  const { id } = message;
  const asked = waiting.get(id);
  if (!asked) return;
  if ('progress' in message) {
    asked.progress?.(message.progress);
    return;
  }
  waiting.delete(id);
  if ('fault' in message) asked.reject(new Fault(message.fault));
  else asked.resolve(message.answer as never);
}
