/** Brings a field into view together with its label, and moves the focus to it. */
import { FIELD_CLASS } from '#wire/page-parts.ts';

export function showField(id: string): void {
  const input = document.querySelector<HTMLElement>(`#${id}`);
  if (!input) return;
  input.closest('details')?.setAttribute('open', '');
  (input.closest(`.${FIELD_CLASS}`) ?? input).scrollIntoView();
  input.focus({ preventScroll: true });
}
