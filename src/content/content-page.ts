/** A page of the operator's: its title, its sections, and what it is about in a sentence. */
import { type MarkdownNode, parseMarkdown } from '#seal/markdown.ts';
import { rejectContent } from './content-file.ts';

export interface ContentPage {
  readonly title: string;
  /** For search engines: the first paragraph. */
  readonly description: string;
  readonly nodes: readonly ContentNode[];
}

/** A heading may have a name, for links to it. */
type ContentNode = MarkdownNode & { readonly id?: string };

const TITLE = /^# +(\S.*?) *(?:\r?\n|$)/;
const HEADING_NAME = /\s*\{#([a-z][a-z0-9-]*)\}$/;
/** Search engines show less. */
const MAX_DESCRIPTION = 300;

/**
 * The parser keeps only whole addresses. A path of ours is made one for it, of a domain that cannot exist (RFC 6761
 * §6.4), and then a path again.
 */
const OWN_SITE = 'https://site.invalid';

/** Throws a StartError that names the file. */
export function parseContentPage(markdown: string, path: string): ContentPage {
  const title = TITLE.exec(markdown)?.[1] ?? rejectContent(path, 'its first line is not "# Title"');
  const nodes = parseMarkdown(markdown.replace(TITLE, '').replaceAll('](/', `](${OWN_SITE}/`)).map(
    toContentNode,
  );
  const first = nodes.find((node) => typeof node !== 'string' && node.tag === 'p');
  const description = first ? toNodeText(first).slice(0, MAX_DESCRIPTION) : title;
  return { title, description, nodes };
}

function toContentNode(node: MarkdownNode): ContentNode {
  if (typeof node === 'string') return node;
  const { href } = node;
  const children = node.children.map(toContentNode);
  if (href?.startsWith(OWN_SITE)) return { ...node, children, href: href.slice(OWN_SITE.length) };
  const last = children.at(-1);
  const id = /^h\d$/.test(node.tag) && typeof last === 'string' ? HEADING_NAME.exec(last)?.[1] : undefined;
  if (id === undefined) return { ...node, children };
  return { ...node, id, children: [...children.slice(0, -1), (last as string).replace(HEADING_NAME, '')] };
}

/** The first paragraph under the heading of this name, as text; null if there is none. */
export function findSectionText({ nodes }: ContentPage, id: string): string | null {
  const at = nodes.findIndex((node) => typeof node !== 'string' && node.id === id);
  const next = at < 0 ? undefined : nodes[at + 1];
  return next !== undefined && typeof next !== 'string' && next.tag === 'p' ? toNodeText(next) : null;
}

function toNodeText(node: MarkdownNode): string {
  return typeof node === 'string' ? node : node.children.map(toNodeText).join('');
}
