/** An HTML template tag that escapes every inserted text. */

export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Hole = Html | string | number | null | readonly Html[];

/** Values may stand in text or in double-quoted attributes, never in a script, a style or a tag. */
export function html(parts: TemplateStringsArray, ...holes: Hole[]): Html {
  const filled = holes.map((hole, index) => parts[index] + renderHole(hole));
  return new Html(filled.join('') + parts.at(-1));
}

function renderHole(hole: Hole): string {
  if (hole === null) return '';
  if (hole instanceof Html) return hole.markup;
  if (typeof hole === 'object') return hole.map((part) => part.markup).join('\n');
  return String(hole).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
