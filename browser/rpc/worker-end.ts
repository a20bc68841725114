/** The worker's end of the connection: reports whether the self-test passed, then runs the jobs of its page. */
import { toUserFacingErrorData, UserFacingError } from './fault.ts';
import type { JobName, JobRequest, ProgressCallback, WorkerJobs, WorkerMessage } from './jobs.ts';
import { toUserFacingError } from './seal-fault.ts';

type JobHandlers<Jobs extends WorkerJobs> = {
  readonly [Name in JobName<Jobs>]: (
    input: Jobs[Name]['input'],
    progress: ProgressCallback,
  ) => Promise<Jobs[Name]['result']> | Jobs[Name]['result'];
};

/** `selfTest` throws if this browser lacks something that is needed later. */
export function serveJobs<Jobs extends WorkerJobs>(
  selfTest: () => Promise<void>,
  handlers: JobHandlers<Jobs>,
): void {
  addEventListener(
    'message',
    ({ data }: MessageEvent<JobRequest<Jobs>>) => void handleJobRequest(data, handlers),
  );
  selfTest().then(
    () => postToPage({ ready: true }),
    () => postToPage({ ready: false }),
  );
}

async function handleJobRequest<Jobs extends WorkerJobs>(
  { id, job, input }: JobRequest<Jobs>,
  handlers: JobHandlers<Jobs>,
): Promise<void> {
  try {
    if (!Object.hasOwn(handlers, job)) throw new UserFacingError({ code: 'unsupported' });
    const report: ProgressCallback = (progress, isWaiting = false) => postToPage({ id, progress, isWaiting });
    postToPage({ id, value: await handlers[job](input, report) });
  } catch (error) {
    postToPage({ id, fault: toUserFacingErrorData(toUserFacingError(error)) });
  }
}

function postToPage(message: WorkerMessage): void {
  postMessage(message);
}
