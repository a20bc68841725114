/** Writes HTML: every hole is escaped for the place it stands in, and a place that cannot be made safe is refused. */
import { type HoleContext, parseHtmlTemplate } from './html-template-parser.ts';

/** Markup that needs no more escaping; only `html` makes it. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** Nothing is written for null, undefined and false; true is for `?name="${…}"` alone. */
export type HoleValue = Html | string | number | boolean | null | undefined | readonly HoleValue[];

interface Template {
  readonly parts: readonly string[];
  readonly places: readonly HoleContext[];
}

/** Each template is studied once: its static parts are the same object at every use. */
const studied = new WeakMap<TemplateStringsArray, Template>();

export function html(strings: TemplateStringsArray, ...holes: HoleValue[]): Html {
  let template = studied.get(strings);
  if (template === undefined) {
    template = parseHtmlTemplate(strings);
    studied.set(strings, template);
  }
  const { parts, places } = template;
  let markup = parts[0] ?? '';
  for (const [index, place] of places.entries()) markup += renderHole(place, holes[index]) + parts[index + 1];
  return new Html(markup);
}

function renderHole(place: HoleContext, hole: HoleValue): string {
  switch (place.kind) {
    case 'content':
      return renderContent(hole);
    case 'text':
      return escapeText(toText(hole));
    case 'boolean':
      return requireBoolean(hole) ? ` ${place.name}` : '';
    case 'attribute':
    case 'url':
      return renderAttribute(place, hole);
  }
}

/** An attribute that is one hole and nothing else goes away with its value. */
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

function escapeText(value: string): string {
  return value.replace(/[&<>"']/g, (character) => escapes[character] ?? '');
}

const SAFE_SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'mailto', 'tel']);

/** Browsers drop blanks before an address, and tabs and line ends anywhere within it (WHATWG URL §4.4). */
function requireSafeUrl(value: string): void {
  const seen = value.replace(/[^!-\u{10ffff}]/gu, '');
  const scheme = /^([^/?#]*?):/.exec(seen)?.[1];
  if (scheme !== undefined && !SAFE_SCHEMES.has(scheme.toLowerCase()))
    throw new TypeError('an address of this scheme is refused');
}
