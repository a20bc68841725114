/** Reads a file of languages/ and reports its mistakes: its translator may never have run the program. */
import { readFileSync } from 'node:fs';
import type { Catalogue } from './catalogue.ts';

export const LANGUAGES_FOLDER = new URL('../../languages/', import.meta.url);

/** An error for the operator, whose message names the file. */
export class LanguageFileError extends Error {
  override readonly name = 'LanguageFileError';
}

/** Unknown keys in a file are harmless. */
export function readCatalogue(tag: string, folder = LANGUAGES_FOLDER): Partial<Catalogue> {
  const file = `languages/${tag}.json`;
  if (!isLanguageTag(tag))
    throw new LanguageFileError(`${file} is not named by a language tag, such as pt-BR.json.`);
  const text = readFileSync(new URL(`${tag}.json`, folder), 'utf8');
  const pages = parseObject(text);
  if (!pages) throw new LanguageFileError(`${file} is not a JSON object of pages, each with its sentences.`);
  const catalogue: Partial<Catalogue> = Object.fromEntries(
    Object.entries(pages).flatMap(([page, sentences]) =>
      Object.entries(sentences ?? {}).map(([name, sentence]) => {
        if (typeof sentence !== 'string')
          throw new LanguageFileError(`${file}: ${page}.${name} is not a sentence in quotation marks.`);
        return [`${page}.${name}`, sentence];
      }),
    ),
  );
  const locale = catalogue['time.locale'];
  if (locale !== undefined && !isLanguageTag(locale))
    throw new LanguageFileError(`${file}: time.locale is not a locale, such as fr-CA.`);
  return catalogue;
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function parseObject(text: string): Record<string, object | null> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, object>) : null;
  } catch {
    return null;
  }
}
