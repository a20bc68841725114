/** A short form that is answered without leaving the page: its button rests while it is sent, and problems are shown in place. */
import { clearProblems, showFault } from './problems.ts';
import { type Sealing, showSealedHere, startSealing } from './sealing.ts';

interface AnsweredForm {
  readonly send: (form: HTMLFormElement) => Promise<void>;
  /** The field to go to where none is to blame. */
  readonly field: string;
}

interface SealedForm {
  readonly send: (form: HTMLFormElement, sealing: Sealing) => Promise<void>;
  readonly field: string;
}

/** Where the sealer does not start, the form is sent as it is without a script. */
export function takeOver(selector: string, { send, field }: SealedForm): void {
  const form = document.querySelector<HTMLFormElement>(selector);
  if (!form) return;
  const starting = startSealing();
  const sendSealed = async () => {
    const sealing = await starting.catch(() => null);
    if (sealing) await send(form, sealing);
  };
  const giveBack = answerHere(form, { field, send: sendSealed });
  starting.then(showSealedHere, giveBack);
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
