/** Templates: plain Markdown files in a folder of the investigator, with placeholders. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nameCase } from '#wire/case-name.ts';
import { formatTimeInBoth } from './desk-time.ts';
import type { OpenedVisit } from './opened-cases.ts';

const EXTENSION = '.md';
const MAX_TEMPLATES = 100;
/** As long as the longest finding. */
const MAX_BYTES = 160_000;

/** Sorted names without the ending; none if there is no folder. */
export async function listTemplates(folder: string | null): Promise<string[]> {
  if (folder === null) return [];
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith(EXTENSION) && !name.startsWith('.'))
      .map((name) => name.slice(0, -EXTENSION.length))
      .toSorted()
      .slice(0, MAX_TEMPLATES);
  } catch {
    return [];
  }
}

/** Null if the folder has no such template: only listed names are read, whatever a form says. */
export async function readTemplate(
  folder: string | null,
  name: string,
  words: Readonly<Record<string, string>>,
): Promise<string | null> {
  if (folder === null || !(await listTemplates(folder)).includes(name)) return null;
  const path = join(folder, `${name}${EXTENSION}`);
  try {
    if ((await stat(path)).size > MAX_BYTES) return null;
    return fillTemplate(await readFile(path, 'utf8'), words);
  } catch {
    return null;
  }
}

/** `{buyer}` becomes the buyer's name; unknown words are left unchanged. */
function fillTemplate(text: string, words: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, word: string) =>
    Object.hasOwn(words, word) ? (words[word] ?? whole) : whole,
  );
}

/** The words that templates may use, with their values for one case. */
export function listTemplateWords(
  { opened, gist }: OpenedVisit,
  now: number,
): Readonly<Record<string, string>> {
  const { facts } = opened;
  return {
    buyer: gist.buyer,
    case: nameCase(facts.id),
    tier: facts.tier,
    question: gist.question,
    due: formatTimeInBoth(Date.parse(facts.due_at), now),
  };
}
