/** A page of the operator: its title, its sections and a description. */
import { type MarkdownNode, parseMarkdown } from '#seal/case/markdown.ts';
import { rejectContent } from './content-file.ts';

export interface ContentPage {
  readonly lang: string;
  readonly title: string;
  /** The whole text for programs, including the title. */
  readonly markdown: string;
  /** For search engines: the first paragraph. */
  readonly description: string;
  readonly nodes: readonly ContentNode[];
}

/** A heading may have a name, for links to it; a cell in bold is the heading of its row. */
type ContentNode = MarkdownNode & { readonly id?: string; readonly scope?: 'row' };

const TITLE = /^# +(\S.*?) *(?:\r?\n|$)/;
const HEADING_NAME = /\s*\{#([a-z][a-z0-9-]*)\}$/;
const LIST_ITEM = /^[*+-] +(\S.*)$/;
/** Search engines show less. */
const MAX_DESCRIPTION = 300;

/** The parser accepts only web and mail links: this domain (RFC 6761 §6.4) is the prefix of paths and phone numbers. */
const KEPT_LINKS = 'https://link.invalid/';

/** The body is parsed when first shown, which makes the start faster. Throws a ProgramError that names the file. */
export function readContentPage(markdown: string, path: string, lang: string): ContentPage {
  const title = TITLE.exec(markdown)?.[1] ?? rejectContent(path, 'its first line is not "# Title"');
  let parsed: readonly ContentNode[] | undefined;
  const parseBody = () => {
    parsed ??= parseContent(markdown.replace(TITLE, ''));
    return parsed;
  };
  return {
    lang,
    title,
    markdown,
    get description() {
      const first = parseBody().find((node) => typeof node !== 'string' && node.tag === 'p');
      return first ? toNodeText(first).slice(0, MAX_DESCRIPTION) : title;
    },
    get nodes() {
      return parseBody();
    },
  };
}

/** The first paragraph under the heading of this name, in Markdown; null if there is none. */
export function findSectionMarkdown(markdown: string, id: string): string | null {
  const afterHeading = String.raw`^#{1,6} .*\{#${id}\}[ \t]*\r?\n(?:[ \t]*\r?\n)*`;
  const paragraph = String.raw`((?![#>|<\x60]|[*+-] |\d+[.)] )\S.*(?:\r?\n[ \t]*\S.*)*)`;
  return new RegExp(afterHeading + paragraph, 'm').exec(markdown)?.[1] ?? null;
}

/** The items of the lists under the heading of this name, in Markdown. */
export function listSectionItems(markdown: string, id: string): string[] {
  const lines = markdown.split(/\r?\n/);
  const heading = lines.findIndex((line) => line.startsWith('#') && line.trimEnd().endsWith(`{#${id}}`));
  if (heading === -1) return [];
  const following = lines.slice(heading + 1);
  const end = following.findIndex((line) => line.startsWith('#'));
  const section = end === -1 ? following : following.slice(0, end);
  return section.flatMap((line) => LIST_ITEM.exec(line)?.[1] ?? []);
}

export function toPlainSentence(markdown: string): string {
  return parseContent(markdown).map(toNodeText).join(' ');
}

function parseContent(markdown: string): readonly ContentNode[] {
  return parseMarkdown(markdown.replace(/\]\((?=\/|tel:)/g, `](${KEPT_LINKS}`)).map(toContentNode);
}

function toContentNode(node: MarkdownNode): ContentNode {
  if (typeof node === 'string') return node;
  const { href } = node;
  const children = node.children.map(toContentNode);
  if (href?.startsWith(KEPT_LINKS)) return { ...node, children, href: href.slice(KEPT_LINKS.length) };
  const [only, ...others] = children;
  if (node.tag === 'td' && typeof only === 'object' && only.tag === 'strong' && others.length === 0)
    return { ...only, tag: 'th', scope: 'row' };
  const last = children.at(-1);
  const id = /^h\d$/.test(node.tag) && typeof last === 'string' ? HEADING_NAME.exec(last)?.[1] : undefined;
  if (id === undefined) return { ...node, children };
  return { ...node, id, children: [...children.slice(0, -1), (last as string).replace(HEADING_NAME, '')] };
}

function toNodeText(node: MarkdownNode): string {
  return typeof node === 'string' ? node : node.children.map(toNodeText).join('');
}
