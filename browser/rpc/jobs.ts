/** The messages between a page and its worker: named jobs and their results. */
import type { UserFacingErrorData } from './fault.ts';

interface Job {
  readonly input: unknown;
  readonly result: unknown;
}

/** The jobs of a worker, by name. */
export type WorkerJobs = { readonly [Name in string]: Job };

export type JobName<Jobs> = keyof Jobs & string;

export interface JobRequest<Jobs extends WorkerJobs> {
  readonly id: number;
  readonly job: JobName<Jobs>;
  readonly input: Jobs[JobName<Jobs>]['input'];
}

/** The first message reports whether the worker is ready; later ones belong to the request with the same id. */
export type WorkerMessage =
  | { readonly ready: boolean }
  | { readonly id: number; readonly progress: number; readonly isWaiting: boolean }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly fault: UserFacingErrorData };

/** From 0 to 1; waiting while there is no connection. */
export type ProgressCallback = (share: number, isWaiting?: boolean) => void;

/** The name and value of a form field. */
export type FormEntry = readonly [name: string, value: string];
