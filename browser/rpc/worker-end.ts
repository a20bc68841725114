/** A worker's end of the traffic: tells whether it can work, then answers what its page asks. */
import { Fault, factsOf } from './fault.ts';
import type { AnyJobs, JobName, Message, Progress, Request } from './jobs.ts';
import { asFault } from './seal-fault.ts';

type Workers<Jobs extends AnyJobs> = {
  readonly [Name in JobName<Jobs>]: (
    input: Jobs[Name]['input'],
    progress: Progress,
  ) => Promise<Jobs[Name]['answer']> | Jobs[Name]['answer'];
};

/** `rehearse` throws where this browser lacks something that is needed later. */
export function workFor<Jobs extends AnyJobs>(rehearse: () => Promise<void>, workers: Workers<Jobs>): void {
  addEventListener('message', ({ data }: MessageEvent<Request<Jobs>>) => void answer(data, workers));
  rehearse().then(
    () => tell({ ready: true }),
    () => tell({ ready: false }),
  );
}

async function answer<Jobs extends AnyJobs>(
  { id, job, input }: Request<Jobs>,
  workers: Workers<Jobs>,
): Promise<void> {
  try {
    if (!Object.hasOwn(workers, job))
      throw new Fault({ code: 'unsupported', sentence: 'This page is out of date. Load it again.' });
    tell({ id, answer: await workers[job](input, (progress) => tell({ id, progress })) });
  } catch (error) {
    tell({ id, fault: factsOf(asFault(error)) });
  }
}

function tell(message: Message): void {
  postMessage(message);
}
