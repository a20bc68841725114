/** The languages that pages are served in. */
import { english as sentences } from './en.ts';
import { createLanguage, type Language } from './language.ts';

export const ENGLISH = createLanguage('en', sentences);

/** The first is for readers who ask for none of them. A language joins once every page for buyers is in the catalogue. */
export const SERVED_LANGUAGES: readonly [Language, ...Language[]] = [ENGLISH];
