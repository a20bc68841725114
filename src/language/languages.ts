/** The languages that pages are served in: one file of languages/ each, named by its BCP 47 tag. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Catalogue } from './catalogue.ts';
import { createLanguage, type Language } from './language.ts';

const FOLDER = new URL('../../languages/', import.meta.url);

/** Every sentence for people in English: the source of the keys and arguments of all languages. */
export const english = readCatalogue('en') as Catalogue;
export const ENGLISH = createLanguage('en', english);

/** The first is for readers who ask for none of them. */
export const SERVED_LANGUAGES: readonly [Language, ...Language[]] = [
  ENGLISH,
  ...readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json') && file !== 'en.json')
    .toSorted()
    .map((file) => basename(file, '.json'))
    // What is not translated yet is said in English.
    .map((tag) => createLanguage(tag, { ...english, ...readCatalogue(tag) })),
];

export function findServedLanguage(tag: string | null | undefined): Language | undefined {
  return SERVED_LANGUAGES.find((language) => language.tag === tag);
}

/** A file that names something else is of no use, and no harm. */
export function readCatalogue(tag: string): Partial<Catalogue> {
  const pages = JSON.parse(readFileSync(new URL(`${tag}.json`, FOLDER), 'utf8')) as object;
  return Object.fromEntries(
    Object.entries(pages).flatMap(([page, sentences]) =>
      Object.entries(sentences).map(([name, sentence]) => [`${page}.${name}`, sentence]),
    ),
  );
}
