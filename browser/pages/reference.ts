/** The script of the API reference: copies examples, finds operations, and unfolds parts on wide screens. */
import { createElement } from '#browser/ui/element.ts';
import { enableQuickExit } from '#browser/ui/leave-button.ts';

const COPIED_MS = 2_000;

enableQuickExit();
for (const block of document.querySelectorAll('pre')) addCopyButton(block);
enableFilter();
const wide = matchMedia('(min-width: 60rem)');
wide.addEventListener('change', unfoldParts);
unfoldParts();

/** The clipboard needs a secure connection; without one there is no button. */
function addCopyButton(block: HTMLElement): void {
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  if (!clipboard) return;
  const button = createElement('button', { type: 'button', class: 'copy' }, 'Copy');
  const say = (text: string) => {
    button.replaceChildren(text);
    setTimeout(() => button.replaceChildren('Copy'), COPIED_MS);
  };
  button.addEventListener('click', () => {
    void clipboard.writeText(block.textContent ?? '').then(
      () => say('Copied'),
      () => say('Not copied'),
    );
  });
  const frame = createElement('div', { class: 'block' });
  block.replaceWith(frame);
  frame.append(block, button);
}

/** Only the index has a list to filter. */
function enableFilter(): void {
  const attributes = { class: 'input', id: 'find', type: 'search', autocomplete: 'off', spellcheck: 'false' };
  const input = createElement('input', attributes) as HTMLInputElement;
  const label = createElement('label', { for: 'find' }, 'Find an operation, a path or an event');
  const status = createElement('p', { role: 'status', class: 'small' });
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const count = showMatches(words);
    const found = count === 1 ? '1 entry' : `${count} entries`;
    status.replaceChildren(words.length === 0 ? '' : found);
  });
  document
    .getElementById('operations')
    ?.before(createElement('div', { class: 'field' }, label, input, status));
}

/** An entry matches if its text, its id and its chapter's title together contain every word. */
function showMatches(words: readonly string[]): number {
  let count = 0;
  for (const section of document.querySelectorAll<HTMLElement>('#operations section')) {
    const title = section.querySelector('h2')?.textContent ?? '';
    const entries = [...section.querySelectorAll('li')];
    for (const entry of entries) {
      const text = `${title} ${entry.textContent} ${entry.id}`.toLowerCase();
      entry.hidden = !words.every((word) => text.includes(word));
      count += Number(!entry.hidden);
    }
    section.hidden = words.length > 0 && entries.every(({ hidden }) => hidden);
  }
  return count;
}

function unfoldParts(): void {
  if (wide.matches)
    for (const part of document.querySelectorAll<HTMLDetailsElement>('details.foldable')) part.open = true;
}
