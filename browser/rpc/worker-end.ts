/** The worker's end of the connection: reports whether the self-test passed, then runs the jobs of its page. */
import { toUserFacingError, toUserFacingErrorData, UserFacingError } from './fault.ts';
import type { JobRequest, ProgressCallback, WorkerJobs, WorkerMessage } from './jobs.ts';

/** `selfTest` throws if this browser lacks something that the jobs need. */
export function serveJobs(selfTest: () => Promise<void>, jobs: WorkerJobs): void {
  addEventListener('message', ({ data }: MessageEvent<JobRequest>) => void handleJobRequest(data, jobs));
  selfTest().then(
    () => postToPage({ ready: true }),
    () => postToPage({ ready: false }),
  );
}

async function handleJobRequest({ id, job, input }: JobRequest, jobs: WorkerJobs): Promise<void> {
  try {
    if (!Object.hasOwn(jobs, job)) throw new UserFacingError({ code: 'unsupported' });
    const report: ProgressCallback = (progress, isWaiting = false) => postToPage({ id, progress, isWaiting });
    postToPage({ id, value: await jobs[job]!(input, report) });
  } catch (error) {
    postToPage({ id, fault: toUserFacingErrorData(toUserFacingError(error)) });
  }
}

function postToPage(message: WorkerMessage): void {
  postMessage(message);
}
