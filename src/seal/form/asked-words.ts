/** The two of the twelve words that the form asks for, to make sure that the buyer has saved them before sending. */
import type { FormFault, FormFields } from './form-fields.ts';
import { ASKED_WORD_CONTROLS } from './inquiry-sections.ts';

/** The first four letters are unique in the word list (BIP-39), so they identify the whole word. */
export const WORD_PREFIX_LENGTH = 4;

const MAX_TYPED_LENGTH = 100;

export interface AskedWord {
  readonly control: (typeof ASKED_WORD_CONTROLS)[number];
  readonly word: string;
  /** Counted from one. */
  readonly position: number;
}

/** Depends only on the words, so that a form shown again asks for the same two. */
export function pickAskedWords(words: string): readonly AskedWord[] {
  const list = words.split(' ');
  const { length } = list;
  const sum = Array.from(words).reduce((total, letter) => total + letter.charCodeAt(0), 0);
  const first = sum % length;
  const second = (first + 1 + (sum % (length - 1))) % length;
  const positions = [Math.min(first, second) + 1, Math.max(first, second) + 1];
  return ASKED_WORD_CONTROLS.map((control, order) => {
    const position = positions[order] ?? 1;
    return { control, word: list[position - 1] ?? '', position };
  });
}

export function listAskedWordFaults(fields: FormFields, words: string): FormFault[] {
  return pickAskedWords(words).flatMap(({ control, word, position }) => {
    const typed = normalizeWord(fields.get(control) ?? '');
    if (isSameWord(typed, word)) return [];
    const key = typed === '' ? 'fault.asked_word.missing' : 'fault.asked_word.wrong';
    return [{ field: control, message: { key, values: { position } } }];
  });
}

/** Extracts the word from “4. Legal”. */
function normalizeWord(text: string): string {
  // Normalizing takes quadratic time.
  return text
    .slice(0, MAX_TYPED_LENGTH)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}]/gu, '');
}

function isSameWord(typed: string, word: string): boolean {
  return typed === word || (typed.length >= WORD_PREFIX_LENGTH && word.startsWith(typed));
}
