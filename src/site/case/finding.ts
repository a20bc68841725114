/** Renders a finding as HTML. */
import { parseMarkdown } from '#seal/case/markdown.ts';
import type { Html } from '#view/html.ts';
import { renderMarkdown } from '#view/markdown/markdown.ts';

export function renderFinding(markdown: string): Html {
  return renderMarkdown(parseMarkdown(markdown));
}
