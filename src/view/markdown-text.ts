/** The signs of Markdown around a piece of text. */

/** Only signs that could be read as Markdown where they stand: a text full of backslashes reads badly. */
export function escapeText(text: string): string {
  return text
    .replace(/[\\`*[\]]/g, '\\$&')
    .replace(/<(?=[A-Za-z/!?])/g, '\\<')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');
}

export function escapeLineStart(text: string): string {
  return text.replace(/^(?=#{1,6} |[+-] |>)/, '\\').replace(/^(\d+)(?=[.)] )/, '$1\\');
}

/** CommonMark §6.1: as many backquotes around it as do not occur in it. */
export function writeCode(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return fence + space + text + space + fence;
}

export function writeFence(text: string): string {
  const fence = text.includes('```') ? '~~~~' : '```';
  const language = /^\s*[{[]/.test(text) ? 'json' : text.startsWith('curl ') ? 'sh' : '';
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}

export function writeItem(mark: string, blocks: readonly string[]): string {
  const [first = '', ...rest] = blocks;
  const indent = ' '.repeat(mark.length);
  const following = rest.map((block) => `\n${addIndent(block, indent)}`).join('\n');
  return mark + addIndent(first, indent).trimStart() + (following && `\n${following}`);
}

/** An empty line follows only an item of several paragraphs. */
export function joinItems(items: readonly string[]): string {
  return items
    .map((item) => item + (item.includes('\n\n') ? '\n\n' : '\n'))
    .join('')
    .trimEnd();
}

function addIndent(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}

/** What stood at the edge of an element separates it from what is beside it. */
export function padLike(source: string, text: string): string {
  return `${/^\s/.test(source) ? ' ' : ''}${text}${/\s$/.test(source) ? ' ' : ''}`;
}
