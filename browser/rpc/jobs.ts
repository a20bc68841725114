/** The messages between a page and its worker: named jobs and their results. */
import type { UserFacingErrorData } from './fault.ts';

/** The jobs of a worker, by name: each gets one value, and may report its progress. */
export type WorkerJobs = Readonly<Record<string, (input: never, progress: ProgressCallback) => unknown>>;

export interface JobRequest {
  readonly id: number;
  readonly job: string;
  readonly input: never;
}

/** The first message reports whether the worker is ready; later ones belong to the request with the same id. */
export type WorkerMessage =
  | { readonly ready: boolean }
  | { readonly id: number; readonly progress: number; readonly isWaiting: boolean }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly fault: UserFacingErrorData };

/** `share` is from 0 to 1; `isWaiting` means that there is no connection. */
export type ProgressCallback = (share: number, isWaiting?: boolean) => void;

/** The name and value of a form field. */
export type FormEntry = readonly [name: string, value: string];
