/** Reads markup that our templates wrote into a tree; anything that they do not write is refused. */

export interface MarkupElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: MarkupNode[];
}

export type MarkupNode = string | MarkupElement;

const TOKEN = /<\/([a-z][a-z0-9-]*)>|<([a-z][a-z0-9-]*)((?:\s+[^\s"'<>/=]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)/gy;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:="([^"]*)")?/g;
/** They have no end tag (WHATWG HTML §13.1.2). */
const VOID_ELEMENTS: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'link', 'meta', 'wbr']);
/** Those that `html` writes, and the ones that templates may contain. */
const REFERENCES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00a0',
};

/** Throws for markup that is not whole, so that no part of a page is lost unnoticed. */
export function parseMarkup(markup: string): MarkupNode[] {
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
