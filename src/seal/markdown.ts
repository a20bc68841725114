/** Markdown as a tree of plain elements: nothing in it can run, load or style anything, whoever renders it. */
import { lexer, type Token, type Tokens } from 'marked';

export type Tag =
  | 'h3'
  | 'h4'
  | 'h5'
  | 'p'
  | 'ul'
  | 'ol'
  | 'li'
  | 'blockquote'
  | 'pre'
  | 'code'
  | 'strong'
  | 'em'
  | 'del'
  | 'a'
  | 'br'
  | 'hr'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td';

export interface Element {
  readonly tag: Tag;
  readonly children: readonly Node[];
  /** Of an `a` alone: an address on the web, or of a mailbox. */
  readonly href?: string;
  /** Of a `td` alone: the heading of its column, for screens too narrow for columns. */
  readonly label?: string;
}

export type Node = string | Element;

/** Below the headings of the page that shows it. */
const headings = ['h3', 'h4', 'h5'] as const;

export function markdownTree(markdown: string): Node[] {
  return lexer(markdown, { gfm: true }).flatMap(nodesOf);
}

function nodesOf(token: Token): Node[] {
  const known = token as Tokens.Generic & { readonly type: string };
  switch (known.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      return [element(headings[Math.min(Number(known['depth']), 3) - 1] ?? 'h5', inside(known))];
    case 'paragraph':
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return [element(tagOf[known.type], inside(known))];
    case 'list':
      return [listOf(known as Tokens.List)];
    case 'code':
      return [element('pre', [element('code', [known['text'] as string])])];
    case 'codespan':
      return [element('code', [known['text'] as string])];
    case 'hr':
    case 'br':
      return [element(known.type, [])];
    case 'link':
      return linkOf(known as Tokens.Link);
    case 'image':
      return [`${known['text']} (${known['href']})`];
    case 'table':
      return [tableOf(known as Tokens.Table)];
    case 'text':
      return known.tokens ? inside(known) : [known['text'] as string];
    case 'escape':
      return [known['text'] as string];
    default:
      // Markup is shown as it was written.
      return [known.raw];
  }
}

const tagOf = { paragraph: 'p', blockquote: 'blockquote', strong: 'strong', em: 'em', del: 'del' } as const;

function inside({ tokens = [] }: Tokens.Generic): Node[] {
  return tokens.flatMap(nodesOf);
}

function listOf({ ordered, items }: Tokens.List): Element {
  return element(
    ordered ? 'ol' : 'ul',
    items.map((item) => element('li', item.tokens.flatMap(nodesOf))),
  );
}

function linkOf({ href, tokens }: Tokens.Link): Node[] {
  const children = tokens.flatMap(nodesOf);
  return /^(?:https?:\/\/|mailto:)/i.test(href) ? [{ tag: 'a', href, children }] : children;
}

function tableOf({ header, rows }: Tokens.Table): Element {
  const heads = header.map(({ tokens }) => element('th', tokens.flatMap(nodesOf)));
  const row = (cells: readonly Tokens.TableCell[]) =>
    element(
      'tr',
      cells.map(({ tokens }, column) => ({
        tag: 'td',
        label: textOf(heads[column]?.children ?? []),
        children: tokens.flatMap(nodesOf),
      })),
    );
  return element('table', [element('thead', [element('tr', heads)]), element('tbody', rows.map(row))]);
}

function textOf(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : textOf(node.children))).join('');
}

function element(tag: Tag, children: readonly Node[]): Element {
  return { tag, children };
}
