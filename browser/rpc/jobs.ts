/** The traffic between a page and its worker: what is asked by name, and what comes back. */
import type { FaultFacts } from './fault.ts';

interface Job {
  readonly input: unknown;
  readonly answer: unknown;
}

/** What one kind of worker does, by name. */
export type AnyJobs = { readonly [Name in string]: Job };

export type JobName<Jobs> = keyof Jobs & string;

export interface Request<Jobs extends AnyJobs> {
  readonly id: number;
  readonly job: JobName<Jobs>;
  readonly input: Jobs[JobName<Jobs>]['input'];
}

/** The first message says whether this browser can seal; each later one belongs to the request with its id. */
export type Message =
  | { readonly ready: boolean }
  | { readonly id: number; readonly progress: number }
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly fault: FaultFacts };

/** From 0 to 1. */
export type Progress = (share: number) => void;

/** Of a form. */
export type Field = readonly [name: string, value: string];
