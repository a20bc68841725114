/** Wraps paragraphs of an e-mail at a length that every mail program shows (RFC 5322 §2.1.1). */

const MAX_LINE = 76;

export function formatEmailText(paragraphs: readonly string[]): string {
  return `${paragraphs.map(wrapParagraph).join('\n\n')}\n`;
}

/** A word that is longer than a line, such as a link, gets its own line. */
function wrapParagraph(paragraph: string): string {
  const lines: string[] = [];
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= MAX_LINE)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}
