/** The pseudo-languages, served by this process alone. */
import { createLanguage, type Language } from '#language/language.ts';
import { SERVED_LANGUAGES } from '#language/languages.ts';
import { PSEUDO_TAGS, translateToPseudo } from '#tools/languages/pseudo-language.ts';

/** Before the service starts. */
export function servePseudoLanguages(): void {
  for (const tag of PSEUDO_TAGS)
    (SERVED_LANGUAGES as unknown as Language[]).push(createLanguage(tag, translateToPseudo(tag)));
}
