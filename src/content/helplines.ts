/** The emergency numbers and helplines of the safety page, read from a text file that people edit. */
import { readContentFile, rejectContent } from './content-file.ts';

export interface Helpline {
  /** Two capital letters (ISO 3166-1). */
  readonly country: string;
  readonly who: string;
  /** `who` in other languages, by their tags. */
  readonly translations: ReadonlyMap<string, string>;
  readonly number: string;
  /** Where the helpline itself publishes the number. */
  readonly source: string;
}

const COUNTRY = /^[A-Z]{2}$/;
const NUMBER = /^[0-9][0-9 ]{0,19}$/;
const TRANSLATION = /^([a-z]{2,3}(?:-[A-Za-z\d]{2,8})*): *(\S.*)$/;

export async function readHelplines(path: string): Promise<readonly Helpline[]> {
  return parseHelplines(await readContentFile(path), path);
}

/** Throws a ProgramError that names the file and the line. */
export function parseHelplines(text: string, path: string): readonly Helpline[] {
  const helplines = text.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    return [
      parseHelpline(line) ??
        rejectContent(
          path,
          `line ${index + 1} is not "country | who | number | https://…", with the country as two capital letters`,
        ),
    ];
  });
  if (helplines.length === 0) rejectContent(path, 'no number is in it');
  return helplines;
}

function parseHelpline(line: string): Helpline | null {
  const [country = '', who = '', number = '', source = '', ...rest] = line
    .split('|')
    .map((part) => part.trim());
  if (!COUNTRY.test(country) || who === '' || !NUMBER.test(number)) return null;
  // The source becomes the target of a Markdown link.
  if (!/^https:\/\/[^\s()<>]+$/.test(source) || !URL.canParse(source)) return null;
  const translations = rest.map((part) => TRANSLATION.exec(part));
  if (translations.includes(null)) return null;
  const named = translations.map((match) => [match?.[1] ?? '', match?.[2] ?? ''] as const);
  return { country, who, translations: new Map(named), number, source };
}
