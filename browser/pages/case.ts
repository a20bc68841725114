/** The case page: the words stay in this browser, which opens the case with them. */
import { startCaseLookup } from '#browser/case/lookup-form.ts';
import { countTypedCharacters } from '#browser/ui/character-count.ts';
import { fillTimeZone } from '#browser/ui/time-zone.ts';

countTypedCharacters();
fillTimeZone();
startCaseLookup();
