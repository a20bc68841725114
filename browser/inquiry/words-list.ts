/** The twelve words on the page: the server's until the browser has generated its own. */
import { findAllWithData, findByData, findById } from '#browser/ui/find.ts';
import { say } from '#browser/ui/say.ts';
import { type AskedWord, pickAskedWords } from '#seal/form/asked-words.ts';
import { MASKED_CLASS, NEW_WORDS_PART, WORDS_CLASS } from '#wire/inquiry-page.ts';

export function createWordsList() {
  const list = findById('words-list');
  const entries = [...(list?.querySelectorAll('li') ?? [])];
  const serverWords = entries.map(({ textContent }) => textContent ?? '');
  const writeEntries = (texts: readonly string[], busy: boolean) => {
    for (const [index, entry] of entries.entries()) entry.textContent = texts[index] ?? '';
    list?.setAttribute('aria-busy', String(busy));
  };
  return {
    /** Hides the server's words, so that the buyer does not copy words that will not be used. */
    showPlaceholders: () => writeEntries(Array(serverWords.length).fill('…'), true),
    /** `isRestored`: the words come from a draft. */
    showWords: (words: string, isRestored: boolean) => {
      // The form must not send any words.
      findById('words')?.remove();
      for (const asked of pickAskedWords(words)) showAskedWord(asked);
      writeEntries(words.split(' '), false);
      const note = findByData('part', NEW_WORDS_PART);
      // A form shown again with faults had the server's words, which may have been written down.
      const isAgain = findById('problems')?.firstElementChild;
      if (note && (isRestored || isAgain)) note.hidden = isRestored;
    },
    restoreServerWords: () => writeEntries(serverWords, false),
  };
}

/** Empties the field of text typed for other words. */
function showAskedWord({ control, position }: AskedWord): void {
  const input = findById(control);
  if (!input) return;
  input.value = '';
  input.labels?.[0]?.replaceChildren(say('words.asked.word', { position }));
}

/** The tools that a script adds: printing, copying and hiding. Called again for the page that replaces the form. */
export function enableWordTools(): void {
  const tools = findByData('part', 'word-tools');
  const list = document.querySelector<HTMLElement>(`.${WORDS_CLASS}`);
  if (!tools || !list) return;
  tools.hidden = false;
  const status = tools.querySelector('[role="status"]');
  const showStatus = (sentence: string) => {
    if (status) status.textContent = sentence;
  };
  onPress('print', () => print());
  onPress('copy', () => {
    navigator.clipboard.writeText(readListedWords(list)).then(
      () => showStatus(say('words.copied')),
      () => showStatus(say('words.not_copied')),
    );
  });
  onPress('mask', (button) => {
    const isMasked = list.classList.toggle(MASKED_CLASS);
    button.textContent = say(isMasked ? 'words.show' : 'words.hide');
    showStatus('');
  });
}

function onPress(key: 'print' | 'copy' | 'mask', act: (button: HTMLElement) => void): void {
  for (const button of findAllWithData(document, key)) button.addEventListener('click', () => act(button));
}

function readListedWords(list: HTMLElement): string {
  return [...list.querySelectorAll('li')].map(({ textContent }) => textContent).join(' ');
}
