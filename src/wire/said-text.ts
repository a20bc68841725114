/** Renders a text in the reader's language, on the server and in the browser alike. */
import type { FindSentence } from '#language/catalogue.ts';
import type { UnsaidSentence, UnsaidText } from '#seal/core/unsaid-text.ts';

/** The properties of a language that are needed here. */
export interface TextReader {
  readonly tag: string;
  readonly find: FindSentence;
}

export function sayText(reader: TextReader, text: UnsaidText): string {
  if (typeof text === 'string') return text;
  if ('key' in text) return saySentence(reader, text);
  if ('country' in text) return formatCountryName(text.country, reader.tag);
  return text.map((part) => sayText(reader, part)).join('');
}

function saySentence(reader: TextReader, { key, variant, values = {} }: UnsaidSentence): string {
  const said = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : sayText(reader, value),
  ]);
  const filled = Object.fromEntries(said) as Record<string, number | string>;
  return (variant && reader.find(`${key}.${variant}`, filled)) ?? reader.find(key, filled) ?? key;
}

const regionNames = new Map<string, Intl.DisplayNames>();

/** Caches `DisplayNames`, because creating one takes a hundred times as long as looking up a name. */
export function formatCountryName(code: string, locale: string): string {
  const names = regionNames.get(locale) ?? new Intl.DisplayNames(locale, { type: 'region' });
  regionNames.set(locale, names);
  return names.of(code) ?? code;
}
