/** Renders a finding as HTML. */
import { parseMarkdown } from '#seal/markdown.ts';
import type { Html } from '#view/html.ts';
import { renderMarkdown } from '#view/markdown.ts';

export function renderFinding(markdown: string): Html {
  return renderMarkdown(parseMarkdown(markdown));
}
