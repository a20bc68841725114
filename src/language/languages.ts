/** The languages that pages are served in. */
import { english as sentences } from './en.ts';
import { spanish } from './es.ts';
import { createLanguage, type Language } from './language.ts';

export const ENGLISH = createLanguage('en', sentences);

/** The first is for readers who ask for none of them. */
export const SERVED_LANGUAGES: readonly [Language, ...Language[]] = [ENGLISH, createLanguage('es', spanish)];

export function findServedLanguage(tag: string | null | undefined): Language | undefined {
  return SERVED_LANGUAGES.find((language) => language.tag === tag);
}
