/** What the page shows next: a template of the page takes the place of its content, and is filled in. */
import { createElement, moveFocus } from './element.ts';
import { findAllWithData, findById, readData, type SlotName, type TemplateId } from './find.ts';

type Fill = (slot: HTMLElement) => void;
export type TemplateSlots<Slot extends string = string> = Readonly<Partial<Record<Slot, Fill>>>;

/** With the dash before it. */
const siteName = document.title.slice(document.title.indexOf(' - '));

/** Null where the page has no such template. */
export function showTemplate<Id extends TemplateId>(
  id: Id,
  slots: TemplateSlots<SlotName<Id>>,
): HTMLElement | null {
  const main = document.querySelector('main');
  const template = findById(id);
  if (!main || !template) return null;
  // The templates stay: one of them may come next.
  main.replaceChildren(template.content.cloneNode(true), ...main.querySelectorAll('template'));
  fillSlots(main, slots);
  enablePrintButtons();
  document.title = `${readData(template, 'title')}${siteName}`;
  scrollTo(0, 0);
  moveFocus(main.querySelector('h1'), { preventScroll: true });
  return main;
}

/** A copy of what a template of the page holds. */
export function cloneTemplate<Id extends TemplateId>(
  id: Id,
  slots: TemplateSlots<SlotName<Id>>,
): HTMLElement | null {
  const template = findById(id);
  const made = template?.content.firstElementChild?.cloneNode(true);
  if (!(made instanceof HTMLElement)) return null;
  fillSlots(made, slots);
  return made;
}

/** A slot that is not named keeps what it shows. */
export function fillSlots(place: ParentNode, slots: TemplateSlots): void {
  for (const slot of findAllWithData(place, 'slot')) slots[readData(slot, 'slot') ?? '']?.(slot);
}

export function createTextFiller(content: string): Fill {
  return (slot) => {
    slot.hidden = content === '';
    slot.textContent = content;
  };
}

export function createItemsFiller(name: 'li' | 'p', texts: readonly string[]): Fill {
  return (slot) => slot.replaceChildren(...texts.map((content) => createElement(name, {}, content)));
}

/** Groups of a term and its description. */
export function createTermsFiller(rows: readonly { readonly label: string; readonly text: string }[]): Fill {
  return (slot) =>
    slot.replaceChildren(
      ...rows.map(({ label, text }) =>
        createElement('div', {}, createElement('dt', {}, label), createElement('dd', {}, text)),
      ),
    );
}

/** Buttons that need a script are hidden until there is one. */
export function enablePrintButtons(): void {
  for (const button of findAllWithData(document, 'print')) {
    button.hidden = false;
    button.addEventListener('click', () => print());
  }
}
