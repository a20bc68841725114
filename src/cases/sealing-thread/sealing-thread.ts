/** The service's side of the thread that seals and opens: runs the same steps with the same arguments in the thread. */
import { ServiceError } from '#platform/errors.ts';
import { findCurrentCaller } from '#platform/http/limits/loop-time.ts';
import type { Services } from '#services.ts';
import { restoreSealingFault, type SealingFault, unwrapStreams, wrapStreams } from './port-streams.ts';
import { SealingQueue } from './queue.ts';
import { type SealingStepName, type SealingSteps, sealingSteps } from './steps.ts';
import type { SealingAnswer, SealingCall } from './worker.ts';

/** Each request begins with one of these; once that has run, this queue does not refuse the request's later steps. */
const FIRST_STEPS: readonly SealingStepName[] = [
  'deriveWordKeys',
  'openCaseKey',
  'sealContactMessage',
  'sealDeskChallenge',
];

export interface SealingThread {
  readonly steps: SealingSteps;
  readonly close: () => Promise<void>;
}

/**
 * Does not use the protocol of `browser/rpc`, with which a page has a worker to itself and shows its progress: here,
 * callers take turns and pass streams.
 */
export function createSealingThread({ log }: Pick<Services, 'log'>): SealingThread {
  let openStreams = 0;
  const queue = new SealingQueue({
    entry: new URL('./worker.ts', import.meta.url),
    log,
    isInUse: () => openStreams > 0,
  });
  const runStep = async (step: SealingStepName, args: readonly unknown[]): Promise<unknown> => {
    let ownFault: unknown;
    const { message, transfer, close } = wrapStreams({ step, args } satisfies SealingCall, {
      onFault: (error) => {
        ownFault = error;
      },
      onEnd: () => {
        openStreams -= 1;
      },
    });
    openStreams += transfer.length;
    const caller = findCurrentCaller();
    const call = {
      message,
      transfer,
      admitted: !FIRST_STEPS.includes(step),
      caller: caller?.name ?? '',
      isUrgent: step === 'sealDeskChallenge',
    };
    // The error of a stream that this side passed is thrown unchanged.
    const toError = (fault: SealingFault | null) =>
      ownFault ?? (fault ? restoreSealingFault(fault) : new ServiceError('sealing_unavailable'));
    const answered = await queue.run(call).catch((error: unknown) => {
      close();
      throw error;
    });
    const answer = unwrapStreams(answered, toError) as SealingAnswer;
    caller?.charge(answer.ms);
    if ('fault' in answer) throw toError(answer.fault);
    return answer.value;
  };
  const names = Object.keys(sealingSteps) as SealingStepName[];
  const steps = Object.fromEntries(
    names.map((step) => [step, (...args: readonly unknown[]) => runStep(step, args)]),
  );
  return { steps: steps as unknown as SealingSteps, close: () => queue.close() };
}
