/** Sends a short form without leaving the page: disables its button while sending and shows errors in place. */
import { UserFacingError } from '#browser/rpc/fault.ts';
import type { WorkerJobs } from '#browser/rpc/jobs.ts';
import { type PageWorker, showSealingNote, startPageWorker } from '#browser/rpc/page-end.ts';
import { SCRIPTED_CLASS } from '#wire/page-parts.ts';
import { type FormId, findById } from './find.ts';
import { clearFormFaults, showError } from './problem-list.ts';

interface SubmitOptions<Given extends unknown[] = []> {
  readonly send: (form: HTMLFormElement, ...given: Given) => Promise<void>;
  /** The field to link to if an error names none. */
  readonly field: string;
}

/** The worker starts when the form is touched. If it fails to, the browser sends the form as without a script. */
export function enhanceForm<Jobs extends WorkerJobs>(
  id: FormId,
  { send, field }: SubmitOptions<[worker: PageWorker<Jobs>]>,
): void {
  const form = findById(id);
  if (!form) return;
  // From now on this script handles the form. The worker is large and tests itself, so it starts only when needed.
  document.documentElement.classList.add(SCRIPTED_CLASS);
  const starting = waitForTouch(form).then(() => startPageWorker<Jobs>());
  const sendThroughWorker = async () => {
    const worker = await starting.catch(() => {
      // Submitting it now would send it unsealed, without the buyer's knowledge.
      throw new UserFacingError({ code: 'sealer_missing' });
    });
    await send(form, worker);
  };
  const restoreSubmit = interceptSubmit(form, { field, send: sendThroughWorker });
  starting.then(
    () => showSealingNote('browser'),
    () => {
      restoreSubmit();
      showSealingNote('server');
    },
  );
}

/** Not only on focus: without it, a browser may fill in a form and a script may send it. */
async function waitForTouch(form: HTMLFormElement): Promise<void> {
  if (form.contains(document.activeElement)) return;
  await new Promise<void>((resolve) => {
    for (const type of ['focusin', 'input', 'submit'])
      form.addEventListener(type, () => resolve(), { once: true });
  });
}

/** Returns a function that lets the browser send the form again. */
export function interceptSubmit(form: HTMLFormElement, { send, field }: SubmitOptions): () => void {
  const button = form.querySelector<HTMLButtonElement>('[type="submit"]');
  const submitForm = async () => {
    if (!button || button.disabled) return;
    clearFormFaults();
    button.disabled = true;
    try {
      await send(form);
    } catch (error) {
      showError(error, field);
    } finally {
      button.disabled = false;
    }
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void submitForm();
  };
  form.addEventListener('submit', onSubmit);
  return () => form.removeEventListener('submit', onSubmit);
}
