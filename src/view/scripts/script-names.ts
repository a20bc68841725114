/** The scripts of pages, the workers, and which worker each script may start. */

export const SCRIPT_NAMES = ['inquiry', 'case', 'contact', 'sign-in', 'reference', 'leave', 'hold'] as const;
export type ScriptName = (typeof SCRIPT_NAMES)[number];

/** Two workers, so that sending an inquiry does not load the code that only reading a finding needs. */
export const WORKER_BY_SCRIPT = {
  inquiry: 'sealer',
  case: 'opener',
  contact: 'sealer',
  'sign-in': 'sealer',
  reference: null,
  leave: null,
  hold: null,
} as const satisfies Record<ScriptName, string | null>;
/** The Trusted Types policies of a page, each for one worker. After sending, the inquiry page becomes the case page. */
export function listWorkerPolicies(script: ScriptName): readonly WorkerName[] {
  const worker = WORKER_BY_SCRIPT[script];
  if (worker === null) return [];
  return script === 'inquiry' ? [worker, WORKER_BY_SCRIPT.case] : [worker];
}

export const WORKER_NAMES = ['sealer', 'opener'] as const;
export type WorkerName = (typeof WORKER_NAMES)[number];
