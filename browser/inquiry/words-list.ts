/** The twelve words on the page: the server's until the browser has made its own. */

export interface WordsList {
  /** Says that words are on their way, so that nobody copies ones that will not count. */
  showMaking(): void;
  show(words: string): void;
  /** The server's words again. */
  restore(): void;
}

export function wordsList(form: HTMLFormElement): WordsList {
  const list = document.querySelector('#words-list');
  const entries = [...(list?.querySelectorAll('li') ?? [])];
  const served = entries.map(({ textContent }) => textContent ?? '');
  const write = (texts: readonly string[], busy: boolean) => {
    for (const [index, entry] of entries.entries()) entry.textContent = texts[index] ?? '';
    list?.setAttribute('aria-busy', String(busy));
  };
  return {
    showMaking: () =>
      write(
        served.map(() => '…'),
        true,
      ),
    show: (words) => {
      // Neither the server's words nor these may travel with the form.
      form.querySelector('input[name="words"]')?.remove();
      const kept = form.querySelector<HTMLInputElement>('#words_kept');
      if (kept) kept.checked = false;
      write(words.split(' '), false);
    },
    restore: () => write(served, false),
  };
}
