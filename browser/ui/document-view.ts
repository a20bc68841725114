/** A document of plain elements on the page, built one by one: markup in it stays text. */
import type { MarkdownNode as DocumentNode } from '#seal/markdown.ts';
import type { DataKey } from '#wire/page-parts.ts';

export function createMarkdownElements(nodes: readonly DocumentNode[]): (HTMLElement | string)[] {
  return nodes.map((node) => {
    if (typeof node === 'string') return node;
    const made = document.createElement(node.tag);
    if (made instanceof HTMLAnchorElement) {
      made.href = node.href ?? '';
      made.rel = 'noreferrer';
    }
    if (node.label !== undefined) made.dataset['label' satisfies DataKey] = node.label;
    if (node.tag === 'th') made.setAttribute('scope', 'col');
    made.append(...createMarkdownElements(node.children));
    return made;
  });
}
