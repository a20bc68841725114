/** What the page shows next: a template of the page takes the place of its content, and is filled in. */

type Fill = (slot: HTMLElement) => void;
export type TemplateSlots = Readonly<Record<string, Fill>>;

/** With the dash before it. */
const siteName = document.title.slice(document.title.indexOf(' - '));

/** Null where the page has no such template. */
export function showTemplate(id: string, slots: TemplateSlots): HTMLElement | null {
  const main = document.querySelector('main');
  const template = document.querySelector<HTMLTemplateElement>(`template#${id}`);
  if (!main || !template) return null;
  // The templates stay: one of them may come next.
  main.replaceChildren(template.content.cloneNode(true), ...main.querySelectorAll('template'));
  fillSlots(main, slots);
  enablePrintButtons();
  document.title = `${template.dataset['title']}${siteName}`;
  scrollTo(0, 0);
  const heading = main.querySelector('h1');
  if (heading) heading.tabIndex = -1;
  heading?.focus({ preventScroll: true });
  return main;
}

/** A copy of what a template of the page holds. */
export function cloneTemplate(id: string, slots: TemplateSlots): HTMLElement | null {
  const template = document.querySelector<HTMLTemplateElement>(`template#${id}`);
  const made = template?.content.firstElementChild?.cloneNode(true);
  if (!(made instanceof HTMLElement)) return null;
  fillSlots(made, slots);
  return made;
}

/** A slot that is not named keeps what it shows. */
export function fillSlots(place: ParentNode, slots: TemplateSlots): void {
  for (const slot of place.querySelectorAll<HTMLElement>('[data-slot]'))
    slots[slot.dataset['slot'] ?? '']?.(slot);
}

export function createTextFiller(content: string): Fill {
  return (slot) => {
    slot.hidden = content === '';
    slot.textContent = content;
  };
}

export function createItemsFiller(name: 'li' | 'p', texts: readonly string[]): Fill {
  return (slot) => slot.replaceChildren(...texts.map((content) => createTextElement(name, content)));
}

/** Groups of a term and its description. */
export function createTermsFiller(rows: readonly { readonly label: string; readonly text: string }[]): Fill {
  return (slot) => {
    const groups = rows.map((row) => {
      const group = document.createElement('div');
      group.append(createTextElement('dt', row.label), createTextElement('dd', row.text));
      return group;
    });
    slot.replaceChildren(...groups);
  };
}

/** Buttons that need a script are hidden until there is one. */
export function enablePrintButtons(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-print]')) {
    button.hidden = false;
    button.addEventListener('click', () => print());
  }
}

function createTextElement(name: string, content: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = content;
  return made;
}
