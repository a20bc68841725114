/** Builds page elements from a parsed Markdown document; HTML in it stays text. */
import type { MarkdownNode as DocumentNode } from '#seal/case/markdown.ts';
import type { DataKey } from '#wire/page-parts.ts';

export function createMarkdownElements(nodes: readonly DocumentNode[]): (HTMLElement | string)[] {
  return nodes.map((node) => {
    if (typeof node === 'string') return node;
    const element = document.createElement(node.tag);
    if (element instanceof HTMLAnchorElement) {
      element.href = node.href ?? '';
      element.rel = 'noreferrer';
    }
    if (node.label !== undefined) element.dataset['label' satisfies DataKey] = node.label;
    if (node.tag === 'th') element.setAttribute('scope', 'col');
    element.append(...createMarkdownElements(node.children));
    return element;
  });
}
