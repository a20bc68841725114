/** Keeps a form as it is while it is being sent: what came in meanwhile would be emptied out with what was sent. */
import { isTextControl } from './form-values.ts';

/** Texts can still be reached and read. Returns a function that lets the form be changed again. */
export function holdForm(form: HTMLFormElement): () => void {
  const setHeld = (isHeld: boolean) => {
    for (const field of form.elements) {
      if (isTextControl(field) && !(field instanceof HTMLSelectElement)) field.readOnly = isHeld;
      else if (!(field instanceof HTMLFieldSetElement)) field.toggleAttribute('disabled', isHeld);
    }
  };
  setHeld(true);
  return () => setHeld(false);
}
