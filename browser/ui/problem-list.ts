/** Shows form faults above the form and at each field, in the same markup as the server. */
import { toUserFacingErrorData } from '#browser/rpc/fault.ts';
import type { FormFault } from '#seal/form/form-fields.ts';
import { ERROR_CLASS, FIELD_CLASS, type PartId, toErrorId, WRONG_CLASS } from '#wire/page-parts.ts';
import { sayText } from '#wire/said-text.ts';
import { createElement, moveFocus } from './element.ts';
import { findById } from './find.ts';
import { reader, say, toFaultText } from './say.ts';

const TITLE_ID: PartId = 'problems-title';
/** Put before the page title and before a field's message if there is an error. */
const errorMark = `${say('form.error')} `;

export function showFormFaults(faults: readonly FormFault[]): void {
  clearFormFaults();
  if (faults.length === 0) return;
  const said = faults.map(({ field, message }) => ({ field, message: sayText(reader, message) }));
  for (const { field, message } of said) markFieldInvalid(field, message);
  const summary = createFaultSummary(said);
  findById('problems')?.replaceChildren(summary);
  document.title = errorMark + document.title;
  moveFocus(summary, { preventScroll: true });
  // Otherwise part of the page header stays in view, half covered by the bar.
  summary.scrollIntoView();
}

/** If the error names no field, the summary links to `defaultField`. */
export function showError(error: unknown, defaultField: string): void {
  const { code, field = defaultField } = toUserFacingErrorData(error);
  showFormFaults([{ field, message: toFaultText(error) }]);
  const contact =
    code === 'form_expired'
      ? createElement('a', { href: '/contact', target: '_blank' }, say('contact.title'))
      : '';
  findById('problems')?.querySelector('li')?.append(' ', contact);
}

export function clearFormFaults(): void {
  if (document.title.startsWith(errorMark)) document.title = document.title.slice(errorMark.length);
  findById('problems')?.replaceChildren();
  for (const note of document.querySelectorAll(`.${FIELD_CLASS} > .${ERROR_CLASS}`)) {
    for (const element of document.querySelectorAll(`[aria-describedby~="${note.id}"]`))
      writeDescribedByIds(
        element,
        readDescribedByIds(element).filter((id) => id !== note.id),
      );
    note.remove();
  }
  for (const field of document.querySelectorAll(`.${FIELD_CLASS}.${WRONG_CLASS}`))
    field.classList.remove(WRONG_CLASS);
  for (const input of document.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

function createFaultSummary(
  faults: readonly { readonly field: string; readonly message: string }[],
): HTMLElement {
  const entries = faults.map(({ field, message }) =>
    createElement('li', {}, isButton(field) ? message : createFaultLink(field, message)),
  );
  return createElement(
    'div',
    { class: 'problems', role: 'alert', 'aria-labelledby': TITLE_ID },
    createElement('h2', { id: TITLE_ID }, say('form.problems')),
    createElement('ul', {}, ...entries),
  );
}

function markFieldInvalid(name: string, message: string): void {
  const input = document.getElementById(name);
  const field = input?.closest(`.${FIELD_CLASS}`);
  if (!input || !field) return;
  const prefix = createElement('span', { class: 'unseen' }, errorMark);
  const note = createElement('p', { class: ERROR_CLASS, id: toErrorId(name) }, prefix, message);
  field.classList.add(WRONG_CLASS);
  [...field.children].find((child) => child.contains(input))?.before(note);
  const isGroup = field instanceof HTMLFieldSetElement;
  const element = isGroup ? field : input;
  writeDescribedByIds(element, [...readDescribedByIds(element), note.id]);
  if (!isGroup) input.setAttribute('aria-invalid', 'true');
}

function readDescribedByIds(element: Element): string[] {
  return element.getAttribute('aria-describedby')?.split(' ') ?? [];
}

function writeDescribedByIds(element: Element, ids: readonly string[]): void {
  if (ids.length === 0) element.removeAttribute('aria-describedby');
  else element.setAttribute('aria-describedby', ids.join(' '));
}

/** A button has nothing to correct, so an error there gets no link. */
function isButton(id: string): boolean {
  return document.getElementById(id) instanceof HTMLButtonElement;
}

/** A plain link would put the field at the edge of the screen, with its label above. */
function createFaultLink(field: string, message: string): HTMLElement {
  const link = createElement('a', { href: `#${field}` }, message);
  link.addEventListener('click', (event) => {
    event.preventDefault();
    showField(field);
  });
  return link;
}

/** Brings a field into view together with its label, and moves the focus to it. */
export function showField(id: string): void {
  const input = document.querySelector<HTMLElement>(`#${id}`);
  if (!input) return;
  input.closest('details')?.setAttribute('open', '');
  (input.closest(`.${FIELD_CLASS}`) ?? input).scrollIntoView();
  input.focus({ preventScroll: true });
}
