/** Renders parsed Markdown as HTML, with one template per element. */
import type { MarkdownNode, MarkdownTag } from '#seal/case/markdown.ts';
import { type Html, html } from '../html.ts';

/** A node with the id of a heading, or the mark of a row heading. */
type MarkedNode = MarkdownNode & { readonly id?: string; readonly scope?: 'row' };
type RenderElement = (children: Html, node: Exclude<MarkedNode, string>) => Html;
type MarkdownElements = Readonly<Record<MarkdownTag, RenderElement>>;

/** For text within a page that already uses h1 and h2. */
const innerElements: MarkdownElements = {
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
  th: (children, { scope = 'col' }) => html`<th scope="${scope}">${children}</th>`,
  td: (children, { label = '' }) => html`<td data-label="${label}">${children}</td>`,
  a: (children, { href = '' }) => html`<a href="${href}" rel="noreferrer">${children}</a>`,
};

const renderPart: RenderElement = (children, { id }) => html`<h2 id="${id}">${children}</h2>\n`;

/** For text that makes up a whole page: the parser begins with h3, and the page already has its h1. */
const pageElements: MarkdownElements = {
  ...innerElements,
  h3: renderPart,
  h4: renderPart,
  h5: (children, { id }) => html`<h3 id="${id}">${children}</h3>\n`,
  p: (children) => html`<p>${children}</p>\n`,
  ul: (children) => html`<ul class="list">${children}</ul>\n`,
  ol: (children) => html`<ol class="list">${children}</ol>\n`,
};

export function renderMarkdown(nodes: readonly MarkdownNode[]): Html {
  return renderNodes(nodes, innerElements);
}

export function renderMarkdownPage(nodes: readonly MarkedNode[]): Html {
  return renderNodes(nodes, pageElements);
}

function renderNodes(nodes: readonly MarkedNode[], elements: MarkdownElements): Html {
  return html`${nodes.map((node) => (typeof node === 'string' ? node : elements[node.tag](renderNodes(node.children, elements), node)))}`;
}
