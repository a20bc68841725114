/** A short form that is answered without leaving the page: its button rests while it is sent, and problems are shown in place. */
import type { WorkerJobs } from '#browser/rpc/jobs.ts';
import { type PageWorker, showBrowserSealingNote, startPageWorker } from '#browser/rpc/page-end.ts';
import { type FormId, findById } from './find.ts';
import { clearFormFaults, showError } from './problem-list.ts';

interface AnsweredForm {
  readonly send: (form: HTMLFormElement) => Promise<void>;
  /** The field to go to where none is to blame. */
  readonly field: string;
}

interface SealedForm<Jobs extends WorkerJobs> {
  readonly send: (form: HTMLFormElement, worker: PageWorker<Jobs>) => Promise<void>;
  readonly field: string;
}

/** Where the worker does not start, the form is sent as it is without a script. */
export function enhanceForm<Jobs extends WorkerJobs>(id: FormId, { send, field }: SealedForm<Jobs>): void {
  const form = findById(id);
  if (!form) return;
  const starting = startPageWorker<Jobs>();
  const sendThroughWorker = async () => {
    const worker = await starting.catch(() => null);
    if (worker) return await send(form, worker);
    // Pressed while the worker was starting: what was meant then happens now, as without a script.
    return form.submit();
  };
  const giveBack = interceptSubmit(form, { field, send: sendThroughWorker });
  starting.then(showBrowserSealingNote, giveBack);
}

/** Gives the way to let the browser send the form again. */
export function interceptSubmit(form: HTMLFormElement, { send, field }: AnsweredForm): () => void {
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
