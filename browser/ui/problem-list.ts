/** Shows what to change, above the form and at each field, in the markup that the server writes for the same. */
import { toUserFacingErrorData, UserFacingError } from '#browser/rpc/fault.ts';
import type { FormFault } from '#seal/form-fields.ts';
import { createElement, moveFocus } from './element.ts';

const MARK = 'Error: ';

export function showFormFaults(faults: readonly FormFault[]): void {
  clearFormFaults();
  if (faults.length === 0) return;
  for (const { field, message } of faults) markFieldInvalid(field, message);
  const summary = createFaultSummary(faults);
  document.querySelector('#problems')?.replaceChildren(summary);
  document.title = MARK + document.title;
  moveFocus(summary);
}

/** For what no field is to blame for, the summary leads to `otherwise`. */
export function showError(error: unknown, otherwise: string): void {
  const { sentence, field = otherwise } = toUserFacingErrorData(
    error instanceof UserFacingError ? error : null,
  );
  showFormFaults([{ field, message: sentence }]);
}

export function clearFormFaults(): void {
  if (document.title.startsWith(MARK)) document.title = document.title.slice(MARK.length);
  document.querySelector('#problems')?.replaceChildren();
  for (const note of document.querySelectorAll('.field > .error')) {
    for (const described of document.querySelectorAll(`[aria-describedby~="${note.id}"]`))
      writeDescribedByIds(
        described,
        readDescribedByIds(described).filter((id) => id !== note.id),
      );
    note.remove();
  }
  for (const field of document.querySelectorAll('.field.wrong')) field.classList.remove('wrong');
  for (const input of document.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

function createFaultSummary(faults: readonly FormFault[]): HTMLElement {
  const entries = faults.map(({ field, message }) =>
    createElement('li', {}, createElement('a', { href: `#${field}` }, message)),
  );
  return createElement(
    'div',
    { class: 'problems', role: 'alert', 'aria-labelledby': 'problems-title' },
    createElement('h2', { id: 'problems-title' }, 'There is a problem'),
    createElement('ul', {}, ...entries),
  );
}

function markFieldInvalid(name: string, message: string): void {
  const input = document.getElementById(name);
  const field = input?.closest('.field');
  if (!input || !field) return;
  const mark = createElement('span', { class: 'unseen' }, MARK);
  const note = createElement('p', { class: 'error', id: `${name}-error` }, mark, message);
  field.classList.add('wrong');
  [...field.children].find((part) => part.contains(input))?.before(note);
  const isGroup = field instanceof HTMLFieldSetElement;
  const described = isGroup ? field : input;
  writeDescribedByIds(described, [...readDescribedByIds(described), note.id]);
  if (!isGroup) input.setAttribute('aria-invalid', 'true');
}

function readDescribedByIds(element: Element): string[] {
  return element.getAttribute('aria-describedby')?.split(' ') ?? [];
}

function writeDescribedByIds(element: Element, ids: readonly string[]): void {
  if (ids.length === 0) element.removeAttribute('aria-describedby');
  else element.setAttribute('aria-describedby', ids.join(' '));
}
