/** Markdown as a tree of plain elements: nothing in it can run, load or style anything, whoever renders it. */
import { lexer, type Token, type Tokens } from 'marked';

export type MarkdownTag =
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

interface MarkdownElement {
  readonly tag: MarkdownTag;
  readonly children: readonly MarkdownNode[];
  /** Of an `a` alone: an address on the web, or of a mailbox. */
  readonly href?: string;
  /** Of a `td` alone: the heading of its column, for screens too narrow for columns. */
  readonly label?: string;
}

export type MarkdownNode = string | MarkdownElement;

/** Below the headings of the page that shows it. */
const headings = ['h3', 'h4', 'h5'] as const;

export function parseMarkdown(markdown: string): MarkdownNode[] {
  return lexer(markdown, { gfm: true }).flatMap(toNodes);
}

function toNodes(token: Token): MarkdownNode[] {
  const known = token as Tokens.Generic & { readonly type: string };
  switch (known.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      return [createElement(headings[Math.min(Number(known['depth']), 3) - 1] ?? 'h5', toChildNodes(known))];
    case 'paragraph':
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return [createElement(tagOf[known.type], toChildNodes(known))];
    case 'list':
      return [toListElement(known as Tokens.List)];
    case 'code':
      return [createElement('pre', [createElement('code', [known['text'] as string])])];
    case 'codespan':
      return [createElement('code', [known['text'] as string])];
    case 'hr':
    case 'br':
      return [createElement(known.type, [])];
    case 'link':
      return toLinkNodes(known as Tokens.Link);
    case 'image':
      return [`${known['text']} (${known['href']})`];
    case 'table':
      return [toTableElement(known as Tokens.Table)];
    case 'text':
      return known.tokens ? toChildNodes(known) : [known['text'] as string];
    case 'escape':
      return [known['text'] as string];
    default:
      // Markup is shown as it was written.
      return [known.raw];
  }
}

const tagOf = { paragraph: 'p', blockquote: 'blockquote', strong: 'strong', em: 'em', del: 'del' } as const;

function toChildNodes({ tokens = [] }: Tokens.Generic): MarkdownNode[] {
  return tokens.flatMap(toNodes);
}

function toListElement({ ordered, items }: Tokens.List): MarkdownElement {
  return createElement(
    ordered ? 'ol' : 'ul',
    items.map((item) => createElement('li', item.tokens.flatMap(toNodes))),
  );
}

function toLinkNodes({ href, tokens }: Tokens.Link): MarkdownNode[] {
  const children = tokens.flatMap(toNodes);
  return /^(?:https?:\/\/|mailto:)/i.test(href) ? [{ tag: 'a', href, children }] : children;
}

function toTableElement({ header, rows }: Tokens.Table): MarkdownElement {
  const heads = header.map(({ tokens }) => createElement('th', tokens.flatMap(toNodes)));
  const toTableRow = (cells: readonly Tokens.TableCell[]) =>
    createElement(
      'tr',
      cells.map(({ tokens }, column) => ({
        tag: 'td',
        label: toPlainText(heads[column]?.children ?? []),
        children: tokens.flatMap(toNodes),
      })),
    );
  return createElement('table', [
    createElement('thead', [createElement('tr', heads)]),
    createElement('tbody', rows.map(toTableRow)),
  ]);
}

function toPlainText(nodes: readonly MarkdownNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : toPlainText(node.children))).join('');
}

function createElement(tag: MarkdownTag, children: readonly MarkdownNode[]): MarkdownElement {
  return { tag, children };
}
