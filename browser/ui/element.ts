/** Creates and focuses page elements; strings are inserted as text, never as HTML. */
import { ERROR_CLASS } from '#wire/page-parts.ts';

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

/** Leaves an unchanged text alone, so that screen readers do not repeat it. */
export function writeStatus(status: Element | null | undefined, text: string, isFault = false): void {
  status?.classList.toggle(ERROR_CLASS, isFault);
  if (status && status.textContent !== text) status.textContent = text;
}

/** Ignores calls while an earlier one is running. */
export function runOneAtATime(act: () => void | Promise<void>): () => void {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    void Promise.resolve(act()).finally(() => {
      isRunning = false;
    });
  };
}
