/** The thread that seals and opens for the service: it uses no store, no network and no environment. */
import { parentPort } from 'node:worker_threads';
import { readProcessorMs } from '#platform/turns.ts';
import {
  closeStreams,
  type SealingFault,
  toSealingFault,
  unwrapStreams,
  wrapStreams,
} from './port-streams.ts';
import { type SealingStepName, sealingSteps } from './steps.ts';

export interface SealingCall {
  readonly step: SealingStepName;
  readonly args: readonly unknown[];
}

type StepOutcome = { readonly value: unknown } | { readonly fault: SealingFault };

/** With the processor time that the step has taken. */
export type SealingAnswer = StepOutcome & { readonly ms: number };

parentPort?.on('message', ({ step, args }: SealingCall) => void answerCall(step, args));

async function answerCall(step: SealingStepName, args: readonly unknown[]): Promise<void> {
  const begunMs = readProcessorMs();
  const outcome = await runStep(step, args);
  const answer: SealingAnswer = { ...outcome, ms: readProcessorMs() - begunMs };
  const { message, transfer } = wrapStreams(answer);
  parentPort?.postMessage(message, transfer);
}

async function runStep(step: SealingStepName, args: readonly unknown[]): Promise<StepOutcome> {
  try {
    const run = sealingSteps[step] as (...given: unknown[]) => Promise<unknown>;
    return { value: await run(...(unwrapStreams(args) as unknown[])) };
  } catch (error) {
    closeStreams(args);
    return { fault: toSealingFault(error) };
  }
}
