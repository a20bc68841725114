/** Writes the addresses of links out as text: at the desk, links in messages cannot be clicked. */
import type { MarkdownNode } from '#seal/case/markdown.ts';

export function writeLinksOut(nodes: readonly MarkdownNode[]): MarkdownNode[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return [node];
    const children = writeLinksOut(node.children);
    if (node.tag !== 'a') return [{ ...node, children }];
    const isBare = children.length === 1 && children[0] === node.href;
    return isBare ? children : [...children, ` (${node.href})`];
  });
}
