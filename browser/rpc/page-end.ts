/** The page's end of the worker: starts it, asks it, and hears of its progress. */
import { findAllWithData, findById, readData } from '#browser/ui/find.ts';
import type { SealedWhere } from '#wire/page-parts.ts';
import { UserFacingError } from './fault.ts';
import type { JobName, ProgressCallback, WorkerJobs, WorkerMessage } from './jobs.ts';

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

export interface PageWorker<Jobs extends WorkerJobs> {
  runJob<Name extends JobName<Jobs>>(
    job: Name,
    input: Jobs[Name]['input'],
    progress?: ProgressCallback,
  ): Promise<Jobs[Name]['answer']>;
  /** Forgets every key. */
  terminate(): void;
}

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (fault: UserFacingError) => void;
  readonly progress: ProgressCallback | undefined;
}

const BROKEN = {
  code: 'sealer_broken',
  sentence: 'This browser stopped sealing. Copy what you wrote, then load the page again.',
} as const;

export async function startPageWorker<Jobs extends WorkerJobs>(): Promise<PageWorker<Jobs>> {
  const worker = new Worker(getTrustedWorkerUrl(), { type: 'module' });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  await waitUntilReady(worker);
  worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) =>
    dispatchMessage(data, waiting),
  );
  worker.addEventListener('error', () => {
    for (const { reject } of waiting.values()) reject(new UserFacingError(BROKEN));
    waiting.clear();
  });
  return {
    runJob: (job, input, progress) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject, progress });
        worker.postMessage({ id: last, job, input });
      }),
    terminate: () => worker.terminate(),
  };
}

/** Until now the page said what happens without a script. */
export function showBrowserSealingNote(): void {
  const box = findById('sealing-note');
  if (!box) return;
  for (const note of findAllWithData(box, 'when'))
    note.hidden = readData(note, 'when') !== ('browser' satisfies SealedWhere);
}

/** The page's content policy allows this one policy, which lets this one address through. */
function getTrustedWorkerUrl(): string {
  if (!('trustedTypes' in globalThis)) return WORKER_PATH;
  const policy = trustedTypes.createPolicy('sealer', {
    createScriptURL: (address) => {
      if (address !== WORKER_PATH) throw new TypeError('only the worker of this page may become one');
      return address;
    },
  });
  return policy.createScriptURL(WORKER_PATH) as string;
}

async function waitUntilReady(worker: Worker): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const failStart = () => {
      worker.terminate();
      reject(new UserFacingError(BROKEN));
    };
    const timer = setTimeout(failStart, START_MS);
    const once = { once: true };
    worker.addEventListener('error', failStart, once);
    worker.addEventListener(
      'message',
      ({ data }: MessageEvent<WorkerMessage>) => {
        clearTimeout(timer);
        worker.removeEventListener('error', failStart);
        if ('ready' in data && data.ready) resolve();
        else failStart();
      },
      once,
    );
  });
}

function dispatchMessage(message: WorkerMessage, waiting: Map<number, Waiting>): void {
  if ('ready' in message) return;
  const { id } = message;
  const asked = waiting.get(id);
  if (!asked) return;
  if ('progress' in message) {
    asked.progress?.(message.progress);
    return;
  }
  waiting.delete(id);
  if ('fault' in message) asked.reject(new UserFacingError(message.fault));
  else asked.resolve(message.answer as never);
}
