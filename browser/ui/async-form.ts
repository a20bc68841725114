/** A short form that is answered without leaving the page: its button rests while it is sent, and problems are shown in place. */
import type { AnyJobs } from '#browser/rpc/jobs.ts';
import { type PageWorker, showDoneHere, startWorker } from '#browser/rpc/page-end.ts';
import { clearProblems, showFault } from './problem-list.ts';

interface AnsweredForm {
  readonly send: (form: HTMLFormElement) => Promise<void>;
  /** The field to go to where none is to blame. */
  readonly field: string;
}

interface SealedForm<Jobs extends AnyJobs> {
  readonly send: (form: HTMLFormElement, worker: PageWorker<Jobs>) => Promise<void>;
  readonly field: string;
}

/** Where the worker does not start, the form is sent as it is without a script. */
export function takeOver<Jobs extends AnyJobs>(selector: string, { send, field }: SealedForm<Jobs>): void {
  const form = document.querySelector<HTMLFormElement>(selector);
  if (!form) return;
  const starting = startWorker<Jobs>();
  const sendSealed = async () => {
    const worker = await starting.catch(() => null);
    if (worker) return await send(form, worker);
    // Pressed while the worker was starting: what was meant then happens now, as without a script.
    return form.submit();
  };
  const giveBack = answerHere(form, { field, send: sendSealed });
  starting.then(showDoneHere, giveBack);
}

/** Gives the way to let the browser send the form again. */
export function answerHere(form: HTMLFormElement, { send, field }: AnsweredForm): () => void {
  const button = form.querySelector<HTMLButtonElement>('[type="submit"]');
  const submit = async () => {
    if (!button || button.disabled) return;
    clearProblems();
    button.disabled = true;
    try {
      await send(form);
    } catch (error) {
      showFault(error, field);
    } finally {
      button.disabled = false;
    }
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    void submit();
  };
  form.addEventListener('submit', onSubmit);
  return () => form.removeEventListener('submit', onSubmit);
}
