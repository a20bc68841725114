/** A short form that the sealer takes over: its button rests while it is sent, and problems are shown in place. */
import { clearProblems, showFault } from './problems.ts';
import { type Sealing, showSealedHere, startSealing } from './sealing.ts';

interface SealedForm {
  /** True once the form has been answered and is no longer needed. */
  readonly send: (form: HTMLFormElement, sealing: Sealing) => Promise<boolean>;
  /** The field to go to where none is to blame. */
  readonly field: string;
}

/** Where the sealer does not start, the form is sent as it is without a script. */
export function takeOver(selector: string, { send, field }: SealedForm): void {
  const form = document.querySelector<HTMLFormElement>(selector);
  const button = form?.querySelector<HTMLButtonElement>('#send');
  if (!form || !button) return;
  const starting = startSealing();
  const submit = async () => {
    const sealing = await starting;
    if (button.disabled) return;
    clearProblems();
    button.disabled = true;
    try {
      if (await send(form, sealing)) sealing.end();
    } catch (error) {
      showFault(error, field);
    } finally {
      button.disabled = false;
    }
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    submit().catch(() => undefined);
  };
  form.addEventListener('submit', onSubmit);
  starting.then(showSealedHere, () => form.removeEventListener('submit', onSubmit));
}
