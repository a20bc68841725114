/** The HTML template tag: escapes every hole for its context, and refuses a context that cannot be made safe. */
import { type HoleContext, parseHtmlTemplate } from './html-template-parser.ts';

/** Markup that is already escaped; only `html`, `renderLinkedData` and `markPublic`, which adds marks, create it. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** Null, undefined and false write nothing; true is allowed only in `?name="${…}"`. */
export type HoleValue = Html | string | number | boolean | null | undefined | readonly HoleValue[];

interface Template {
  readonly parts: readonly string[];
  readonly contexts: readonly HoleContext[];
}

/** Each template is parsed once: its static strings are the same object at every use. */
const parsedTemplates = new WeakMap<TemplateStringsArray, Template>();

export function html(strings: TemplateStringsArray, ...holes: HoleValue[]): Html {
  let template = parsedTemplates.get(strings);
  if (template === undefined) {
    template = parseHtmlTemplate(strings);
    parsedTemplates.set(strings, template);
  }
  const { parts, contexts } = template;
  let markup = parts[0] ?? '';
  for (const [index, context] of contexts.entries())
    markup += renderHole(context, holes[index]) + parts[index + 1];
  return new Html(markup);
}

function renderHole(context: HoleContext, hole: HoleValue): string {
  switch (context.kind) {
    case 'content':
      return renderContent(hole);
    case 'text':
      return escapeText(toText(hole));
    case 'boolean':
      return requireBoolean(hole) ? ` ${context.name}` : '';
    case 'attribute':
    case 'url':
      return renderAttribute(context, hole);
  }
}

/** An attribute whose whole value is a hole is left out if the hole is empty. */
function renderAttribute({ kind, name, whole }: HoleContext, hole: HoleValue): string {
  if (whole && (hole === null || hole === undefined || hole === false)) return '';
  const value = toText(hole);
  if (kind === 'url') requireSafeUrl(value);
  return whole ? ` ${name}="${escapeText(value)}"` : escapeText(value);
}

function renderContent(hole: HoleValue): string {
  if (hole instanceof Html) return hole.toString();
  if (isList(hole)) return hole.map(renderContent).join('');
  return escapeText(toText(hole));
}

function isList(hole: HoleValue): hole is readonly HoleValue[] {
  return Array.isArray(hole);
}

function toText(hole: HoleValue): string {
  if (typeof hole === 'string') return hole;
  if (typeof hole === 'number') return String(hole);
  if (hole === null || hole === undefined || hole === false) return '';
  throw new TypeError('this hole takes text or a number');
}

function requireBoolean(hole: HoleValue): boolean {
  if (hole === null || hole === undefined) return false;
  if (typeof hole === 'boolean') return hole;
  throw new TypeError('a hole of a ?name attribute is true or false');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Marks for `public-parts.ts`: control characters, which HTML cannot contain; escaping removes them from values. */
export const PART_MARKS = { open: '\u0002', close: '\u0003' } as const;
const ESCAPED = new RegExp(`[&<>"'${PART_MARKS.open}${PART_MARKS.close}]`, 'g');

function escapeText(value: string): string {
  return value.replace(ESCAPED, (character) => escapes[character] ?? '');
}

const SAFE_SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'mailto', 'tel']);

/** Browsers drop leading blanks, and tabs and newlines anywhere in a URL (WHATWG URL §4.4). */
function requireSafeUrl(value: string): void {
  const compact = value.replace(/[^!-\u{10ffff}]/gu, '');
  const scheme = /^([^/?#]*?):/.exec(compact)?.[1];
  if (scheme !== undefined && !SAFE_SCHEMES.has(scheme.toLowerCase()))
    throw new TypeError('an address of this scheme is refused');
}

/** For programs; browsers ignore it (WHATWG HTML §4.12.1). Escaping keeps values from closing the element. */
export function renderLinkedData(data: Readonly<Record<string, unknown>>): Html {
  const json = JSON.stringify(data).replace(
    /[<>&]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
  return new Html(`<script type="application/ld+json">${json}</script>`);
}
