/** The page's end of the connection: starts the worker, runs jobs in it and receives their progress. */
import { findAllWithData, findById, readData } from '#browser/ui/find.ts';
import { SCRIPTED_CLASS, type SealedWhere, STARTING_CLASS } from '#wire/page-parts.ts';
import { UserFacingError } from './fault.ts';
import type { ProgressCallback, WorkerJobs, WorkerMessage } from './jobs.ts';

/** The only worker of this script, set when the scripts are bundled. */
declare const WORKER_NAME: string;
declare const WORKER_PATH: string;

/** https://www.w3.org/TR/trusted-types/, not yet in TypeScript's own types. */
declare const trustedTypes: {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): unknown };
};

/** Enough for a slow phone to load the worker; after that the page works as without a script. */
const START_MS = 30_000;

export interface PageWorker<Jobs extends WorkerJobs> {
  runJob<Name extends keyof Jobs & string>(
    job: Name,
    input: Parameters<Jobs[Name]>[0],
    progress?: ProgressCallback,
  ): Promise<Awaited<ReturnType<Jobs[Name]>>>;
  /** Also discards all keys, which live only in the worker. */
  terminate(): void;
}

interface PendingJob {
  readonly resolve: (value: never) => void;
  readonly reject: (error: UserFacingError) => void;
  readonly progress: ProgressCallback | undefined;
}

/** A policy can be created only once, but a page may need its worker again. */
let trustedUrl: string | undefined;

const BROKEN = { code: 'sealer_broken' } as const;

export async function startPageWorker<Jobs extends WorkerJobs>(isAgain = false): Promise<PageWorker<Jobs>> {
  document.documentElement.classList.add(SCRIPTED_CLASS);
  trustedUrl ??= getTrustedWorkerUrl();
  const worker = new Worker(trustedUrl, { type: 'module' });
  const pendingJobs = new Map<number, PendingJob>();
  let lastId = 0;
  // The browser may cache a page that is left, with its workers; they must not hold keys then.
  addEventListener('pagehide', () => worker.terminate());
  if (!(await waitUntilReady(worker))) {
    if (isAgain) throw new UserFacingError(BROKEN);
    // One lost request must not cause the next text to be sent unsealed.
    return startPageWorker(true);
  }
  worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) =>
    dispatchMessage(data, pendingJobs),
  );
  worker.addEventListener('error', () => {
    for (const { reject } of pendingJobs.values()) reject(new UserFacingError(BROKEN));
    pendingJobs.clear();
  });
  return {
    runJob: (job, input, progress) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        pendingJobs.set(lastId, { resolve, reject, progress });
        worker.postMessage({ id: lastId, job, input });
      }),
    terminate: () => worker.terminate(),
  };
}

/** Called once it is known where this page seals; ends the page's start. */
export function showSealingNote(where: SealedWhere): void {
  document.documentElement.classList.remove(STARTING_CLASS);
  const box = findById('sealing-note');
  if (!box) return;
  for (const note of findAllWithData(box, 'when')) note.hidden = readData(note, 'when') !== where;
}

/** The Content-Security-Policy allows only policies named after the page's workers; each policy allows one path. */
function getTrustedWorkerUrl(): string {
  if (!('trustedTypes' in globalThis)) return WORKER_PATH;
  const policy = trustedTypes.createPolicy(WORKER_NAME, {
    createScriptURL: (url) => {
      if (url !== WORKER_PATH) throw new TypeError('only the worker of this page may become one');
      return url;
    },
  });
  return policy.createScriptURL(WORKER_PATH) as string;
}

/** False if its file did not load or is broken; rejects if its self-test fails or takes too long. */
async function waitUntilReady(worker: Worker): Promise<boolean> {
  return await new Promise<boolean>((resolve, reject) => {
    const failStart = () => {
      worker.terminate();
      reject(new UserFacingError(BROKEN));
    };
    const timer = setTimeout(failStart, START_MS);
    const once = { once: true };
    worker.addEventListener('error', () => resolve(false), once);
    worker.addEventListener(
      'message',
      ({ data }: MessageEvent<WorkerMessage>) => {
        clearTimeout(timer);
        if ('ready' in data && data.ready) resolve(true);
        else failStart();
      },
      once,
    );
  });
}

function dispatchMessage(message: WorkerMessage, pendingJobs: Map<number, PendingJob>): void {
  if ('ready' in message) return;
  const { id } = message;
  const pending = pendingJobs.get(id);
  if (!pending) return;
  if ('progress' in message) {
    pending.progress?.(message.progress, message.isWaiting);
    return;
  }
  pendingJobs.delete(id);
  if ('fault' in message) pending.reject(new UserFacingError(message.fault));
  else pending.resolve(message.value as never);
}
