/** Renders parsed Markdown as HTML, with one template per element. */
import type { MarkdownNode, MarkdownTag } from '#seal/markdown.ts';
import { type Html, html } from './html.ts';

type RenderElement = (children: Html, id: string | undefined) => Html;
type MarkdownElements = Readonly<Record<Exclude<MarkdownTag, 'a' | 'td'>, RenderElement>>;
type NamedNode = MarkdownNode & { readonly id?: string };

/** For a text within a page that uses h1 and h2. */
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
  th: (children) => html`<th scope="col">${children}</th>`,
};

const renderPart: RenderElement = (children, id) => html`<h2 id="${id}">${children}</h2>\n`;

/** For a text that is a page itself: the parser begins with h3, the page has its h1 already. */
const pageElements: MarkdownElements = {
  ...innerElements,
  h3: renderPart,
  h4: renderPart,
  h5: (children, id) => html`<h3 id="${id}">${children}</h3>\n`,
  p: (children) => html`<p>${children}</p>\n`,
  ul: (children) => html`<ul class="list">${children}</ul>\n`,
  ol: (children) => html`<ol class="list">${children}</ol>\n`,
};

export function renderMarkdown(nodes: readonly MarkdownNode[]): Html {
  return renderNodes(nodes, innerElements);
}

export function renderMarkdownPage(nodes: readonly NamedNode[]): Html {
  return renderNodes(nodes, pageElements);
}

function renderNodes(nodes: readonly NamedNode[], elements: MarkdownElements): Html {
  return html`${nodes.map((node) => (typeof node === 'string' ? node : renderElement(node, elements)))}`;
}

function renderElement(node: Exclude<NamedNode, string>, elements: MarkdownElements): Html {
  const { tag, href = '', label = '' } = node;
  const children = renderNodes(node.children, elements);
  if (tag === 'a') return html`<a href="${href}" rel="noreferrer">${children}</a>`;
  if (tag === 'td') return html`<td data-label="${label}">${children}</td>`;
  return elements[tag](children, node.id);
}
