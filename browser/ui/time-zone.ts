/** Fills in the time zone of this browser where times for a call are asked for, once somebody comes to the form. */
import { findById } from './find.ts';

/** Also for a form that is shown later; what was typed stays. */
export function fillTimeZone(): void {
  document.addEventListener('focusin', () => {
    const field = findById('call_zone');
    if (field?.value === '') field.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  });
}
