/**
 * Writes two pseudo-languages (`npm run pseudo`): accented English, a third longer, from left to right and from right
 * to left. A letter without an accent on a page belongs to text that no translator will see.
 */
import { writeFileSync } from 'node:fs';
import { parseMessage, stringifyMessage } from 'messageformat';
import type { Catalogue } from '#language/catalogue.ts';
import { english } from '#language/languages.ts';

/** The tags of CLDR for such languages. */
export const PSEUDO_TAGS = ['en-XA', 'ar-XB'] as const;

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ACCENTED = Array.from('áƀćďéƒğĥíĵķĺɱñóƥɋřšťúṽŵẋýžÁɃĆĎÉƑĞĤÍĴĶĹṀÑÓƤɊŘŠŤÚṼŴẊÝŽ');

/** Stands for the extra length of other languages; German, for example, is a third longer. */
const LONGER = 'ó';

type ParsedMessage = ReturnType<typeof parseMessage>;
type Pattern = Extract<ParsedMessage, { type: 'message' }>['pattern'];

export function translateToPseudo(tag: string): Catalogue {
  const sentences = Object.entries(english).map(([key, source]) => [key, translateSource(source)]);
  // The locale is set, because it is not a sentence to translate.
  return { ...(Object.fromEntries(sentences) as Catalogue), 'time.locale': tag };
}

function translateSource(source: string): string {
  const parsed = parseMessage(source);
  if (parsed.type === 'message')
    return stringifyMessage({ ...parsed, pattern: translatePattern(parsed.pattern) });
  const variants = parsed.variants.map((variant) => ({ ...variant, value: translatePattern(variant.value) }));
  return stringifyMessage({ ...parsed, variants });
}

function translatePattern(pattern: Pattern): Pattern {
  return pattern.map((piece) => (typeof piece === 'string' ? translateText(piece) : piece));
}

/** Adds a letter at every third position. */
function translateText(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter, index: number) => {
    const accented = ACCENTED[PLAIN.indexOf(letter)] ?? letter;
    return index % 3 === 0 ? accented + LONGER : accented;
  });
}

function nestByPage(catalogue: Catalogue): Record<string, Record<string, string>> {
  const pages: Record<string, Record<string, string>> = {};
  for (const [key, sentence] of Object.entries(catalogue)) {
    const [page = '', ...name] = key.split('.');
    pages[page] = { ...pages[page], [name.join('.')]: sentence };
  }
  return pages;
}

if (import.meta.main)
  for (const tag of PSEUDO_TAGS)
    writeFileSync(
      `languages/${tag}.json`,
      `${JSON.stringify(nestByPage(translateToPseudo(tag)), null, 2)}\n`,
    );
