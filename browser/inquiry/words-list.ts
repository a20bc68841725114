/** The twelve words on the page: the server's until the browser has made its own. */
import { findById } from '#browser/ui/find.ts';

export interface WordsList {
  /** Says that words are on their way, so that nobody copies ones that will not count. */
  showPlaceholders(): void;
  showWords(words: string): void;
  /** The server's words again. */
  restoreServerWords(): void;
}

export function createWordsList(): WordsList {
  const list = findById('words-list');
  const entries = [...(list?.querySelectorAll('li') ?? [])];
  const served = entries.map(({ textContent }) => textContent ?? '');
  const writeEntries = (texts: readonly string[], busy: boolean) => {
    for (const [index, entry] of entries.entries()) entry.textContent = texts[index] ?? '';
    list?.setAttribute('aria-busy', String(busy));
  };
  return {
    showPlaceholders: () =>
      writeEntries(
        served.map(() => '…'),
        true,
      ),
    showWords: (words) => {
      // Neither the server's words nor these may travel with the form.
      findById('words')?.remove();
      const kept = findById('words_kept');
      if (kept) kept.checked = false;
      writeEntries(words.split(' '), false);
    },
    restoreServerWords: () => writeEntries(served, false),
  };
}
