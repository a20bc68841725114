/** The twelve words on the page: the server's until the browser has made its own. */

export interface WordsList {
  /** Says that words are on their way, so that nobody copies ones that will not count. */
  showPlaceholders(): void;
  showWords(words: string): void;
  /** The server's words again. */
  restoreServerWords(): void;
}

export function createWordsList(form: HTMLFormElement): WordsList {
  const list = document.querySelector('#words-list');
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
      form.querySelector('input[name="words"]')?.remove();
      const kept = form.querySelector<HTMLInputElement>('#words_kept');
      if (kept) kept.checked = false;
      writeEntries(words.split(' '), false);
    },
    restoreServerWords: () => writeEntries(served, false),
  };
}
