/** Shows what to change, above the form and at each field, in the markup that the server writes for the same. */
import { Fault, factsOf } from '#browser/rpc/fault.ts';
import type { FormFault } from '#seal/form-fields.ts';

const MARK = 'Error: ';

export function showProblems(faults: readonly FormFault[]): void {
  clearProblems();
  if (faults.length === 0) return;
  for (const { field, message } of faults) markField(field, message);
  const summary = summaryOf(faults);
  document.querySelector('#problems')?.replaceChildren(summary);
  document.title = MARK + document.title;
  summary.focus();
}

/** For what no field is to blame for, the summary leads to `otherwise`. */
export function showFault(error: unknown, otherwise: string): void {
  const { sentence, field = otherwise } = factsOf(error instanceof Fault ? error : null);
  showProblems([{ field, message: sentence }]);
}

export function clearProblems(): void {
  if (document.title.startsWith(MARK)) document.title = document.title.slice(MARK.length);
  document.querySelector('#problems')?.replaceChildren();
  for (const note of document.querySelectorAll('.field > .error')) {
    for (const described of document.querySelectorAll(`[aria-describedby~="${note.id}"]`))
      setIds(
        described,
        idsOf(described).filter((id) => id !== note.id),
      );
    note.remove();
  }
  for (const field of document.querySelectorAll('.field.wrong')) field.classList.remove('wrong');
  for (const input of document.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
}

function summaryOf(faults: readonly FormFault[]): HTMLElement {
  const summary = made('div', { class: 'problems', role: 'alert', 'aria-labelledby': 'problems-title' });
  summary.tabIndex = -1;
  const list = made('ul');
  for (const { field, message } of faults) {
    const entry = made('li');
    entry.append(made('a', { href: `#${field}` }, message));
    list.append(entry);
  }
  summary.append(made('h2', { id: 'problems-title' }, 'There is a problem'), list);
  return summary;
}

function markField(name: string, message: string): void {
  const input = document.getElementById(name);
  const field = input?.closest('.field');
  if (!input || !field) return;
  const note = made('p', { class: 'error', id: `${name}-error` });
  note.append(made('span', { class: 'unseen' }, MARK), message);
  field.classList.add('wrong');
  [...field.children].find((part) => part.contains(input))?.before(note);
  const isGroup = field instanceof HTMLFieldSetElement;
  const described = isGroup ? field : input;
  setIds(described, [...idsOf(described), note.id]);
  if (!isGroup) input.setAttribute('aria-invalid', 'true');
}

function idsOf(element: Element): string[] {
  return element.getAttribute('aria-describedby')?.split(' ') ?? [];
}

function setIds(element: Element, ids: readonly string[]): void {
  if (ids.length === 0) element.removeAttribute('aria-describedby');
  else element.setAttribute('aria-describedby', ids.join(' '));
}

function made(name: string, attributes: Readonly<Record<string, string>> = {}, text = ''): HTMLElement {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}
