/** Creates and focuses page elements; strings are inserted as text, never as HTML. */

export function createElement(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...content: readonly (Node | string)[]
): HTMLElement {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

/** For a page whose content was replaced: screen readers begin at its heading, as after a load. */
export function showTop(heading: HTMLElement | null | undefined): void {
  scrollTo(0, 0);
  moveFocus(heading, { preventScroll: true });
}

/** Focuses elements that are not focusable by themselves. */
export function moveFocus(element: HTMLElement | null | undefined, options?: FocusOptions): void {
  if (!element) return;
  element.tabIndex = -1;
  element.focus(options);
}
