/** Parses Markdown into a tree of plain elements that cannot run, load or style anything. */
import type { Token, Tokens } from 'marked';
import { parseMarkdownTokens } from './markdown-lexer.ts';

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
  /** Only on `a`: an http, https or mailto address. */
  readonly href?: string;
  /** Only on `td`: the heading of its column, for screens too narrow for columns. */
  readonly label?: string;
}

export type MarkdownNode = string | MarkdownElement;

/** The page that shows the document uses h1 and h2. */
const headings = ['h3', 'h4', 'h5'] as const;

/** Never fails: a text that nests too deeply or costs too much is returned as it was written. */
export function parseMarkdown(markdown: string): MarkdownNode[] {
  try {
    return parseMarkdownTokens(markdown).flatMap(toNodes);
  } catch {
    return [createElement('pre', [markdown])];
  }
}

/** In characters, for one label and for a whole table: every row repeats the labels, so that long ones multiply. */
const MAX_LABEL = 100;
const MAX_LABELS = 10_000;

function toNodes(token: Token): MarkdownNode[] {
  const typed = token as Tokens.Generic & { readonly type: string };
  switch (typed.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      return [createElement(headings[Math.min(Number(typed['depth']), 3) - 1] ?? 'h5', toChildNodes(typed))];
    case 'paragraph':
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return [createElement(tags[typed.type], toChildNodes(typed))];
    case 'list':
      return [toListElement(typed as Tokens.List)];
    case 'code':
      return [createElement('pre', [createElement('code', [typed['text'] as string])])];
    case 'codespan':
      return [createElement('code', [typed['text'] as string])];
    case 'hr':
    case 'br':
      return [createElement(typed.type, [])];
    case 'link':
      return toLinkNodes(typed as Tokens.Link);
    case 'image':
      return [`${typed['text']} (${typed['href']})`];
    case 'table':
      return [toTableElement(typed as Tokens.Table)];
    case 'text':
      return typed.tokens ? toChildNodes(typed) : [typed['text'] as string];
    case 'escape':
      return [typed['text'] as string];
    default:
      // HTML is shown as text.
      return [typed.raw];
  }
}

const tags = { paragraph: 'p', blockquote: 'blockquote', strong: 'strong', em: 'em', del: 'del' } as const;

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
  const headerCells = header.map(({ tokens }) => createElement('th', tokens.flatMap(toNodes)));
  const named = headerCells.map(({ children }) => toPlainText(children).slice(0, MAX_LABEL));
  const labels = named.join('').length * rows.length > MAX_LABELS ? [] : named;
  const toTableRow = (cells: readonly Tokens.TableCell[]) =>
    createElement(
      'tr',
      cells.map(({ tokens }, column) => ({
        tag: 'td',
        label: labels[column] ?? '',
        children: tokens.flatMap(toNodes),
      })),
    );
  return createElement('table', [
    createElement('thead', [createElement('tr', headerCells)]),
    createElement('tbody', rows.map(toTableRow)),
  ]);
}

function toPlainText(nodes: readonly MarkdownNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : toPlainText(node.children))).join('');
}

function createElement(tag: MarkdownTag, children: readonly MarkdownNode[]): MarkdownElement {
  return { tag, children };
}
