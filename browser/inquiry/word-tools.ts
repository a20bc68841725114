/** The tools that a script adds to the shown words: printing, copying and hiding them. */
import { findAllWithData, findByData } from '#browser/ui/find.ts';
import { say } from '#browser/ui/say.ts';
import { MASKED_CLASS, WORDS_CLASS } from '#wire/inquiry-page.ts';

/** Called again for the page that replaces the form. */
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
