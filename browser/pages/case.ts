/** The case page: the words stay in this browser, which opens the case with them. */
import { startCaseLookup } from '#browser/case/lookup-form.ts';
import { countTypedCharacters } from '#browser/ui/character-count.ts';
import { findById } from '#browser/ui/find.ts';
import { hideTitleWhilePrinting } from '#browser/ui/print-title.ts';
import { PRINTED_CLASS } from '#wire/page-parts.ts';

countTypedCharacters();
fillTimeZone();
hideTitleWhilePrinting(`.${PRINTED_CLASS}:not(:empty)`);
startCaseLookup();

/** Fills in the browser's own zone once a field is focused, unless the buyer has typed one. */
function fillTimeZone(): void {
  document.addEventListener('focusin', () => {
    const field = findById('call_zone');
    if (field?.value === '') field.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  });
}
