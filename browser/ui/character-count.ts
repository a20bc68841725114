/** Shows how many characters are left in a field with a limit; nothing is cut off. */
import { countCharacters } from '#seal/form/field-rules.ts';
import { toCountId } from '#wire/page-parts.ts';
import { createElement } from './element.ts';
import { readData } from './find.ts';
import { say } from './say.ts';

/** Announced to screen readers once typing pauses. */
const PAUSE_MS = 1_000;
/** A short field shows its count only near the end. */
const NEARLY_FULL = 0.9;

let pause: ReturnType<typeof setTimeout> | undefined;
const announcement = createElement('p', { class: 'unseen', role: 'status' });

/** Listens on `main`, so that fields added later are counted too; a page that replaces `main` calls this again. */
export function countTypedCharacters(): void {
  document.body.append(announcement);
  const main = document.querySelector('main');
  main?.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) showCount(target);
  });
  // The event fires before the form is emptied.
  main?.addEventListener('reset', ({ target }) => setTimeout(() => showFormCounts(target)));
}

function showFormCounts(form: EventTarget | null): void {
  if (!(form instanceof HTMLFormElement)) return;
  for (const field of form.querySelectorAll<HTMLTextAreaElement | HTMLInputElement>('textarea, input'))
    showCount(field);
}

function showCount(field: HTMLTextAreaElement | HTMLInputElement): void {
  const limit = Number(readData(field, 'limit'));
  const note = document.querySelector<HTMLElement>(`#${toCountId(field.id)}`);
  if (!limit || !note) return;
  const count = countCharacters(field.value);
  const isNearlyFull = count > limit * NEARLY_FULL;
  note.hidden = field instanceof HTMLInputElement && !isNearlyFull;
  note.textContent =
    count > limit
      ? say('form.count_over', { count: count - limit })
      : say('form.count_left', { count: limit - count });
  clearTimeout(pause);
  pause = setTimeout(() => {
    announcement.textContent = isNearlyFull ? note.textContent : '';
  }, PAUSE_MS);
}
