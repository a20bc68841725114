/** The case page: the words stay in this browser, which opens the case with them. */
import { startCaseLookup } from '#browser/case/lookup-form.ts';
import { countTypedCharacters } from '#browser/ui/character-count.ts';
import { hideTitleWhilePrinting } from '#browser/ui/print-title.ts';
import { fillTimeZone } from '#browser/ui/time-zone.ts';
import { PRINTED_CLASS } from '#wire/page-parts.ts';

countTypedCharacters();
fillTimeZone();
hideTitleWhilePrinting(`.${PRINTED_CLASS}:not(:empty)`);
startCaseLookup();
