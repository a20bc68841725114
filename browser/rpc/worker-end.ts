/** A worker's end of the traffic: tells whether it can work, then answers what its page asks. */
import { toUserFacingErrorData, UserFacingError } from './fault.ts';
import type { JobName, JobRequest, ProgressCallback, WorkerJobs, WorkerMessage } from './jobs.ts';
import { toUserFacingError } from './seal-fault.ts';

type Workers<Jobs extends WorkerJobs> = {
  readonly [Name in JobName<Jobs>]: (
    input: Jobs[Name]['input'],
    progress: ProgressCallback,
  ) => Promise<Jobs[Name]['answer']> | Jobs[Name]['answer'];
};

/** `rehearse` throws where this browser lacks something that is needed later. */
export function serveJobs<Jobs extends WorkerJobs>(
  rehearse: () => Promise<void>,
  workers: Workers<Jobs>,
): void {
  addEventListener(
    'message',
    ({ data }: MessageEvent<JobRequest<Jobs>>) => void handleJobRequest(data, workers),
  );
  rehearse().then(
    () => postToPage({ ready: true }),
    () => postToPage({ ready: false }),
  );
}

async function handleJobRequest<Jobs extends WorkerJobs>(
  { id, job, input }: JobRequest<Jobs>,
  workers: Workers<Jobs>,
): Promise<void> {
  try {
    if (!Object.hasOwn(workers, job))
      throw new UserFacingError({
        code: 'unsupported',
        sentence: 'This page is out of date. Load it again.',
      });
    postToPage({ id, answer: await workers[job](input, (progress) => postToPage({ id, progress })) });
  } catch (error) {
    postToPage({ id, fault: toUserFacingErrorData(toUserFacingError(error)) });
  }
}

function postToPage(message: WorkerMessage): void {
  postMessage(message);
}
