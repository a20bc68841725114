/** The languages that pages are served in: one file of languages/ each, named by its BCP 47 tag. */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { Catalogue } from './catalogue.ts';
import { createLanguage, type Language } from './language.ts';
import { LANGUAGES_FOLDER, readCatalogue } from './language-file.ts';

/** Every sentence for people in English: the source of the keys and arguments of all languages. */
export const english = readCatalogue('en') as Catalogue;
export const ENGLISH = createLanguage('en', english);

/** The first one is the default for readers who prefer none of them. */
export const SERVED_LANGUAGES: readonly [Language, ...Language[]] = [
  ENGLISH,
  ...readdirSync(LANGUAGES_FOLDER)
    .filter((file) => file.endsWith('.json') && file !== 'en.json')
    .toSorted()
    .map((file) => basename(file, '.json'))
    // Sentences without a translation are in English.
    .map((tag) => createLanguage(tag, { ...english, ...readCatalogue(tag) })),
];

export function findServedLanguage(tag: string | null | undefined): Language | undefined {
  return SERVED_LANGUAGES.find((language) => language.tag === tag);
}
