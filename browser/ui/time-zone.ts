/** Fills in the browser's time zone in a form that asks for times for a call, once the buyer comes to the form. */
import { findById } from './find.ts';

/** Also for a form that is shown later; what was typed stays. */
export function fillTimeZone(): void {
  document.addEventListener('focusin', () => {
    const field = findById('call_zone');
    if (field?.value === '') field.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  });
}
