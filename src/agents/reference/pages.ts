/** Renders the API reference: its index, and a page for each chapter. */
import type { OpenApiDocument, OpenApiOperation } from '#agents/documents/openapi-document.ts';
import { agentPaths } from '#platform/addresses.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { CHAPTERS, type Chapter } from './chapters.ts';
import { type DocumentedOperation, renderOperation } from './operation.ts';
import { renderWebhooks } from './webhooks.ts';

/** How long something still works after its end is announced. */
const NOTICE_DAYS = 180;

export function renderIndexPage(document: OpenApiDocument, testNote: string): HtmlPage {
  return {
    title: 'API reference',
    description: 'Every operation of the API with its fields, its answers and examples to copy.',
    main: html`<div class="wrap text reference-index">
<h1>API reference</h1>
${
  testNote &&
  html`<p>${testNote}</p>
`
}<p>Version ${document.info.version}, at <span class="code">${document.servers[0].url}</span>. Machine-readable: <a href="${agentPaths.openapi}">openapi.json</a>. How to get a token: <a href="${agentPaths.instructions}">auth.md</a>. How to seal and to open a case: <a href="${agentPaths.sealing}">sealing.md</a>. As tools for MCP clients: <span class="code">${agentPaths.mcp}</span>.</p>
<p>Errors are problem details (RFC 9457) with a stable <span class="code">code</span> and a <span class="code">type</span>, the address of a page that says what to do; unknown fields are refused. Lists are paginated with the <span class="code">Link</span> header. A person completes every payment on the page of the payment provider.</p>
<div id="operations">${CHAPTERS.map((chapter) => renderIndexSection(document, chapter))}</div>
</div>`,
  };
}

/** The ids preserve old links, from when the reference was one page. */
function renderIndexSection(document: OpenApiDocument, chapter: Chapter): Html {
  const { path, title, tag } = chapter;
  const entries = listOperations(document, chapter).map(
    ({ method, path: route, operation }) =>
      html`<li id="${operation.operationId}"><a href="${path}#${operation.operationId}"><span class="code">${method.toUpperCase()} ${route}</span></a> ${operation.summary}</li>`,
  );
  const events = listEvents(document, chapter).map(
    ([type, { summary }]) =>
      html`<li><a href="${path}#${type}"><span class="code">${type}</span></a> ${summary}</li>`,
  );
  return html`<section id="${tag}"><h2><a href="${path}">${title}</a></h2>
<p>${describeChapter(document, chapter)}</p>
${tag && html`<ul>${entries}${events}</ul>`}</section>
`;
}

export function renderChapterPage(document: OpenApiDocument, chapter: Chapter): HtmlPage {
  const about = describeChapter(document, chapter);
  return {
    title: `${chapter.title} - API reference`,
    description: about,
    main: html`<div class="wrap reference">
${renderContents(document, chapter)}
<div class="text">
<h1>${chapter.title}</h1>
<p>${about}</p>
${chapter.tag === 'callback' ? renderWebhooks(listEvents(document, chapter)) : null}
${chapter.tag === null ? renderVersions(document) : null}
${listOperations(document, chapter).map((operation) => renderOperation(operation, document.servers[0].url))}
</div>
</div>`,
  };
}

/** The contents: beside the text on a wide screen, folded above it on a narrow one. */
function renderContents(document: OpenApiDocument, current: Chapter): Html {
  const own = [
    ...listOperations(document, current).map(({ method, path, operation }) => ({
      id: operation.operationId,
      text: `${method.toUpperCase()} ${path}`,
    })),
    ...listEvents(document, current).map(([type]) => ({ id: type, text: type })),
  ];
  return html`<nav class="contents" aria-label="API reference"><details class="foldable"><summary>Contents</summary>
<p><a href="${agentPaths.docs}">All operations</a></p>
<ul>${CHAPTERS.map(
    (chapter) =>
      html`<li><a href="${chapter.path}" aria-current="${chapter === current ? 'page' : null}">${chapter.title}</a>${
        chapter === current && own.length > 0
          ? html`<ul>${own.map(({ id, text }) => html`<li><a class="code" href="#${id}">${text}</a></li>`)}</ul>`
          : null
      }</li>`,
  )}</ul></details></nav>`;
}

function describeChapter({ tags }: OpenApiDocument, { tag }: Chapter): string {
  if (tag === null) return 'What may change, how long before it is announced, and what has changed.';
  return tags.find(({ name }) => name === tag)?.description ?? '';
}

function listOperations({ paths }: OpenApiDocument, { tag }: Chapter): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags[0] === tag)
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

function listEvents({ webhooks }: OpenApiDocument, { tag }: Chapter): [type: string, OpenApiOperation][] {
  return Object.entries(webhooks).flatMap(([type, { post }]): [string, OpenApiOperation][] =>
    post?.tags[0] === tag ? [[type, post]] : [],
  );
}

/** What may change in the API, how it is announced, and what has changed. */
function renderVersions({ info }: OpenApiDocument): Html {
  return html`<h2>What may change in version 1</h2>
<p>The version is that of <a href="${agentPaths.openapi}">openapi.json</a>, now ${info.version}. Within version 1 we add, and say so below: operations, optional fields and parameters of requests, fields and headers of answers, types of events, and codes of errors. A program should pass over fields, events and codes that it does not know; the schemas of answers list the fields of the day, so read them again rather than keep them closed.</p>
<p>We do not change what is there: no field, code or state gets another meaning or another type, nothing optional becomes required, and no address moves. Sealed formats have names of their own, such as <span class="code">inquiry.v1</span>, and what was sealed stays readable.</p>
<h2>How an end is announced</h2>
<p>What is to end works for at least ${NOTICE_DAYS} days after it is announced: on this page, as <span class="code">deprecated</span> in openapi.json, and in every answer of the operation with the headers <span class="code">Deprecation</span> (RFC 9745), which has the day of the announcement, and <span class="code">Sunset</span> (RFC 8594), which has its last day. Nothing is announced at present. A change that closes a hole in security may come at once.</p>
<h2>Changes</h2>
<ul class="list"><li>1.0.0: the first version.</li></ul>`;
}
