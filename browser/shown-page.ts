/** What the page shows next: a template of the page takes the place of its content, and is filled in. */

/** Also for a part of the page, before it is shown. */
export type Filled = Readonly<Record<string, (slot: HTMLElement) => void>>;

/** Null where the page has no such template. */
export function showInstead(id: string, slots: Filled): HTMLElement | null {
  const main = document.querySelector('main');
  const template = document.querySelector<HTMLTemplateElement>(`template#${id}`);
  if (!main || !template) return null;
  main.replaceChildren(template.content.cloneNode(true));
  for (const slot of main.querySelectorAll<HTMLElement>('[data-slot]'))
    slots[slot.dataset['slot'] ?? '']?.(slot);
  offerPrinting();
  if (template.dataset['title']) document.title = template.dataset['title'];
  scrollTo(0, 0);
  const heading = main.querySelector('h1');
  if (heading) heading.tabIndex = -1;
  heading?.focus({ preventScroll: true });
  return main;
}

export function text(content: string): (slot: HTMLElement) => void {
  return (slot) => {
    slot.textContent = content;
  };
}

export function items(name: 'li' | 'p', texts: readonly string[]): (slot: HTMLElement) => void {
  return (slot) => slot.replaceChildren(...texts.map((content) => element(name, content)));
}

/** Groups of a term and its description. */
export function terms(
  rows: readonly { readonly label: string; readonly text: string }[],
): (slot: HTMLElement) => void {
  return (slot) => {
    const groups = rows.map((row) => {
      const group = document.createElement('div');
      group.append(element('dt', row.label), element('dd', row.text));
      return group;
    });
    slot.replaceChildren(...groups);
  };
}

/** Buttons that need a script are hidden until there is one. */
export function offerPrinting(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-print]')) {
    button.hidden = false;
    button.addEventListener('click', () => print());
  }
}

function element(name: string, content: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = content;
  return made;
}
