/** Serves the pseudo-languages in this process only. */
import { createLanguage, type Language } from '#language/language.ts';
import { SERVED_LANGUAGES } from '#language/languages.ts';
import { PSEUDO_TAGS, translateToPseudo } from '#tools/languages/pseudo-language.ts';

/** To be called before the service starts. */
export function servePseudoLanguages(): void {
  for (const tag of PSEUDO_TAGS)
    (SERVED_LANGUAGES as unknown as Language[]).push(createLanguage(tag, translateToPseudo(tag)));
}
