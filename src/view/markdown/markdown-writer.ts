/**
 * A page as Markdown (CommonMark with GFM tables), for programs: a pointer to the index, the page's source or else its
 * markup, and a note about its forms.
 */
import { ENGLISH } from '#language/languages.ts';
import { agentPaths } from '#platform/addresses.ts';
import { CHOICES_CLASS } from '../form.ts';
import { type Html, html } from '../html.ts';
import { type HtmlPage, type PageFrame, renderIndexPointer } from '../page.ts';
import { removeMarks } from '../public-parts.ts';
import { renderSentence } from '../sentence.ts';

interface MarkupElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: MarkupNode[];
}

type MarkupNode = string | MarkupElement;

const TOKEN = /<\/([a-z][a-z0-9-]*)>|<([a-z][a-z0-9-]*)((?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)/gy;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:="([^"]*)")?/g;
/** Elements without an end tag (WHATWG HTML §13.1.2). */
const VOID_ELEMENTS: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'link', 'meta', 'wbr']);
/** The references that `html` writes, and those that templates may contain. */
const REFERENCES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
};

/** Elements without text to read: scripts, drawings, input fields, and navigation within the page. */
const SKIPPED: ReadonlySet<string> = new Set([
  'nav',
  'script',
  'template',
  'svg',
  'input',
  'textarea',
  'select',
]);
const INLINE: ReadonlySet<string> = new Set(['a', 'b', 'br', 'button', 'code', 'span']);

/** The Markdown that a page is made from, if any. */
export interface MarkdownSource {
  readonly source?: {
    /** What the page shows before the Markdown. */
    readonly notes: Html;
    readonly markdown: string;
  };
}

/** `path` is the address of the page. */
export function writePageMarkdown(
  { site }: Pick<PageFrame, 'site'>,
  { main, source, language = ENGLISH }: HtmlPage & MarkdownSource,
  path: string,
): string {
  const write = (markup: Html) => writeMarkdown(markup.toString(), new URL(path, site));
  const first = `> ${write(html`<p>${renderIndexPointer(language)}</p>`)}`;
  if (source) {
    const notes = source.notes.toString() === '' ? '' : `${write(source.notes)}\n`;
    return `${first}\n${notes}${source.markdown.replaceAll('](/', `](${site}/`)}`;
  }
  if (!main.toString().includes('<form')) return `${first}\n${write(main)}`;
  const forms = renderSentence(language, 'markdown.forms', {
    page: (text) => html`<a href="${path}">${text}</a>`,
    docs: (text) => html`<a href="${agentPaths.docs}">${text}</a>`,
  });
  return [first, write(main), '---\n', write(html`<p>${forms}</p>`)].join('\n');
}

/** `page` is the address of the page, against which its links are resolved. */
export function writeMarkdown(markup: string, page: URL): string {
  return `${new MarkdownWriter(page).writeBlocks(parseMarkup(removeMarks(markup))).join('\n\n')}\n`;
}

class MarkdownWriter {
  readonly #page: URL;

  constructor(page: URL) {
    this.#page = page;
  }

  /** Text between blocks becomes a separate paragraph. */
  writeBlocks(nodes: readonly MarkupNode[]): string[] {
    const blocks: string[] = [];
    let loose: MarkupNode[] = [];
    const endParagraph = () => {
      blocks.push(...this.#writeParagraph(loose));
      loose = [];
    };
    for (const node of nodes)
      if (typeof node === 'string' || isInline(node)) loose.push(node);
      else {
        endParagraph();
        if (!isSkipped(node)) blocks.push(...this.#writeBlock(node));
      }
    endParagraph();
    return blocks;
  }

  #writeBlock(element: MarkupElement): string[] {
    const { name, children } = element;
    const heading = /^h([1-6])$/.exec(name);
    if (heading) return [`${'#'.repeat(Number(heading[1]))} ${this.#writeInline(children)}`];
    switch (name) {
      case 'p':
        return isWayWithinPage(children) ? [] : this.#writeParagraph(children);
      case 'ul':
      case 'ol':
        return this.#writeList(listElements(children, 'li'));
      case 'dl':
        return this.#writeTerms(children);
      case 'table':
        return [this.#writeTable(element)];
      case 'pre':
        return [writeFence(readText(element), element.attributes.get('data-language'))];
      case 'legend':
        return this.#writeParagraph(children).map((text) => `**${text}**`);
      case 'label':
        return [`**${this.#writeLabel(element)}**`];
      default:
        if (element.attributes.get('class') === CHOICES_CLASS) return [this.#writeChoices(children)];
        return this.writeBlocks(children);
    }
  }

  #writeParagraph(nodes: readonly MarkupNode[]): string[] {
    const text = this.#writeInline(nodes);
    return text === '' ? [] : [escapeLineStart(text)];
  }

  /** Items with a heading become sections, which begin with the heading. */
  #writeList(items: readonly MarkupElement[]): string[] {
    const written = items.map(({ children }) => this.writeBlocks(children));
    if (written.some((blocks) => blocks.some(isHeading)))
      return written.flatMap((blocks) =>
        blocks.toSorted((a, b) => Number(isHeading(b)) - Number(isHeading(a))),
      );
    return [joinItems(written.map(writeItem))];
  }

  /** A list of `dt` and `dd`, each pair in a `div` or not. */
  #writeTerms(nodes: readonly MarkupNode[]): string[] {
    const parts = nodes.flatMap((node) =>
      typeof node !== 'string' && node.name === 'div' ? node.children : node,
    );
    const items: string[][] = [];
    for (const part of parts)
      if (typeof part !== 'string' && part.name === 'dt')
        items.push([`**${this.#writeInline(part.children)}**:`]);
      else if (typeof part !== 'string') appendTo(items.at(-1) ?? [], this.writeBlocks(part.children));
    return [joinItems(items.map(writeItem))];
  }

  #writeChoices(nodes: readonly MarkupNode[]): string {
    return joinItems(listElements(nodes, 'label').map((label) => `- ${this.#writeLabel(label)}`));
  }

  #writeLabel({ children }: MarkupElement): string {
    const parts = children.map((child) => this.#writeInline([child]));
    return parts.filter(Boolean).join(' ');
  }

  #writeTable(table: MarkupElement): string {
    const rows = listDescendants(table, 'tr').map((row) =>
      row.children
        .filter((cell) => typeof cell !== 'string')
        .map(({ children }) => this.#writeInline(children).replaceAll('|', '\\|')),
    );
    const [head = [], ...body] = rows;
    const writeRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
    return [writeRow(head), `|${'---|'.repeat(head.length)}`, ...body.map(writeRow)].join('\n');
  }

  #writeInline(nodes: readonly MarkupNode[]): string {
    return nodes
      .map((node) => (typeof node === 'string' ? escapeText(node) : this.#writeSpan(node)))
      .join('')
      .replace(/[ \t\r\n]+/g, ' ')
      .trim();
  }

  #writeSpan(element: MarkupElement): string {
    if (isSkipped(element)) return '';
    const { name, attributes, children } = element;
    // GFM has no other way to break a line in a table.
    if (name === 'br') return '<br>';
    if (name === 'code' || (name === 'span' && attributes.get('class') === 'code'))
      return `\`${readText(element)}\``;
    const text = this.#writeInline(children);
    if (text === '') return '';
    return padLike(readText(element), this.#markSpan(element, text));
  }

  #markSpan({ name, attributes }: MarkupElement, text: string): string {
    if (name === 'a') return `[${text}](${new URL(attributes.get('href') ?? '', this.#page)})`;
    return name === 'b' || name === 'button' ? `**${text}**` : text;
  }
}

function isInline(element: MarkupElement): boolean {
  return INLINE.has(element.name) && !isSkipped(element);
}

/** `data-when` marks text for one of several cases, which only the page's script can distinguish. */
function isSkipped(element: MarkupElement): boolean {
  const { name, attributes } = element;
  if (SKIPPED.has(name) || attributes.has('hidden') || attributes.has('data-when')) return true;
  return attributes.get('class') === 'button' && isLinkWithinPage(element);
}

function isLinkWithinPage({ attributes }: MarkupElement): boolean {
  return attributes.get('href')?.startsWith('#') ?? false;
}

/** For example, a link back to the contents. */
function isWayWithinPage(nodes: readonly MarkupNode[]): boolean {
  const [only, ...others] = nodes;
  return typeof only === 'object' && others.length === 0 && isLinkWithinPage(only);
}

function isHeading(block: string): boolean {
  return /^#+ /.test(block);
}

function listElements(nodes: readonly MarkupNode[], name: string): MarkupElement[] {
  return nodes.filter((node) => typeof node !== 'string' && node.name === name) as MarkupElement[];
}

function listDescendants({ children }: MarkupElement, name: string): MarkupElement[] {
  return children.flatMap((node) => {
    if (typeof node === 'string') return [];
    return node.name === name ? [node] : listDescendants(node, name);
  });
}

function readText(node: MarkupNode): string {
  return typeof node === 'string' ? node : node.children.map(readText).join('');
}

/** A term and the first paragraph about it share a line. */
function appendTo(item: string[], [first = '', ...rest]: readonly string[]): void {
  item[0] = `${item[0]} ${first}`.trimEnd();
  item.push(...rest);
}

/** Escapes only characters that Markdown would interpret in their position, so that the text stays readable. */
function escapeText(text: string): string {
  return text
    .replace(/[\\`*[\]]/g, '\\$&')
    .replace(/<(?=[A-Za-z/!?])/g, '\\<')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');
}

function escapeLineStart(text: string): string {
  return text.replace(/^(?=#{1,6} |[+-] |>)/, '\\').replace(/^(\d+)(?=[.)] )/, '$1\\');
}

function writeFence(text: string, language = ''): string {
  return `\`\`\`${language}\n${text.replace(/\n$/, '')}\n\`\`\``;
}

function writeItem(blocks: readonly string[]): string {
  return `- ${blocks.map(addIndent).join('\n\n').trimStart()}`;
}

/** Adds an empty line only after an item that has several paragraphs. */
function joinItems(items: readonly string[]): string {
  return items
    .map((item) => item + (item.includes('\n\n') ? '\n\n' : '\n'))
    .join('')
    .trimEnd();
}

function addIndent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

/** Keeps the space at the edges of an element, which separates it from its neighbours. */
function padLike(source: string, text: string): string {
  return `${/^\s/.test(source) ? ' ' : ''}${text}${/\s$/.test(source) ? ' ' : ''}`;
}

/** Throws for incomplete markup, so that no part of a page is lost unnoticed. */
function parseMarkup(markup: string): MarkupNode[] {
  const root: MarkupElement = { name: '', attributes: new Map(), children: [] };
  const open = [root];
  let end = 0;
  for (const [token, closed, opened, attributes = '', text] of markup.matchAll(TOKEN)) {
    end += token.length;
    const parent = open.at(-1) ?? root;
    if (text !== undefined) parent.children.push(decodeText(text));
    else if (opened !== undefined) {
      const element = { name: opened, attributes: parseAttributes(attributes), children: [] };
      parent.children.push(element);
      if (!VOID_ELEMENTS.has(opened) && !token.endsWith('/>')) open.push(element);
    } else if (open.pop()?.name !== closed) throw new TypeError(`</${closed}> closes another element`);
  }
  if (end !== markup.length)
    throw new TypeError(`markup that cannot be read: ${markup.slice(end, end + 40)}`);
  if (open.length !== 1) throw new TypeError(`<${open.at(-1)?.name}> is not closed`);
  return root.children;
}

function parseAttributes(text: string): Map<string, string> {
  return new Map([...text.matchAll(ATTRIBUTE)].map(([, name = '', value = '']) => [name, decodeText(value)]));
}

function decodeText(text: string): string {
  return text.replace(/&([^;&\s]*);/g, (reference, name: string) => {
    const character = REFERENCES[name];
    if (character === undefined) throw new TypeError(`${reference} is not known`);
    return character;
  });
}
