/** The traffic between a page and its worker: what is asked by name, and what comes back. */
import type { UserFacingErrorData } from './fault.ts';

interface Job {
  readonly input: unknown;
  readonly answer: unknown;
}

/** What one kind of worker does, by name. */
export type WorkerJobs = { readonly [Name in string]: Job };

export type JobName<Jobs> = keyof Jobs & string;

export interface JobRequest<Jobs extends WorkerJobs> {
  readonly id: number;
  readonly job: JobName<Jobs>;
  readonly input: Jobs[JobName<Jobs>]['input'];
}

/** The first message says whether this browser can seal; each later one belongs to the request with its id. */
export type WorkerMessage =
  | { readonly ready: boolean }
  | { readonly id: number; readonly progress: number }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly fault: UserFacingErrorData };

/** From 0 to 1. */
export type ProgressCallback = (share: number) => void;

/** Of a form. */
export type FormEntry = readonly [name: string, value: string];
