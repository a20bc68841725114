/** Renders a finding as HTML, with one template per Markdown element. */
import { type MarkdownNode, type MarkdownTag, parseMarkdown } from '#seal/markdown.ts';
import { type Html, html } from '#view/html.ts';

const elements: Readonly<Record<Exclude<MarkdownTag, 'a' | 'td'>, (children: Html) => Html>> = {
  h3: (children) => html`<h3>${children}</h3>`,
  h4: (children) => html`<h4>${children}</h4>`,
  h5: (children) => html`<h5>${children}</h5>`,
  p: (children) => html`<p>${children}</p>`,
  ul: (children) => html`<ul>${children}</ul>`,
  ol: (children) => html`<ol>${children}</ol>`,
  li: (children) => html`<li>${children}</li>`,
  blockquote: (children) => html`<blockquote>${children}</blockquote>`,
  pre: (children) => html`<pre>${children}</pre>`,
  code: (children) => html`<code>${children}</code>`,
  strong: (children) => html`<strong>${children}</strong>`,
  em: (children) => html`<em>${children}</em>`,
  del: (children) => html`<del>${children}</del>`,
  br: () => html`<br>`,
  hr: () => html`<hr>`,
  table: (children) => html`<table>${children}</table>`,
  thead: (children) => html`<thead>${children}</thead>`,
  tbody: (children) => html`<tbody>${children}</tbody>`,
  tr: (children) => html`<tr>${children}</tr>`,
  th: (children) => html`<th scope="col">${children}</th>`,
};

export function renderFinding(markdown: string): Html {
  return renderNodes(parseMarkdown(markdown));
}

function renderNodes(nodes: readonly MarkdownNode[]): Html {
  return html`${nodes.map((node) => (typeof node === 'string' ? node : renderElement(node)))}`;
}

function renderElement({ tag, children, href, label }: Exclude<MarkdownNode, string>): Html {
  if (tag === 'a') return html`<a href="${href ?? ''}" rel="noreferrer">${renderNodes(children)}</a>`;
  if (tag === 'td') return html`<td data-label="${label ?? ''}">${renderNodes(children)}</td>`;
  return elements[tag](renderNodes(children));
}
