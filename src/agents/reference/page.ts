/** Renders the API reference: every operation with its fields, responses and a curl command. */
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiResponse,
} from '#agents/documents/openapi-document.ts';
import type { JsonSchema } from '#agents/documents/openapi-example.ts';
import { agentPaths } from '#platform/addresses.ts';
import { type Html, html } from '#view/html.ts';
import type { HtmlPage } from '#view/page.ts';
import { formatCurlExample } from './curl-example.ts';

interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** The operations of one noun. */
interface DocumentedPart {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly DocumentedOperation[];
}

const CONTENTS_ID = 'operations';

export function renderDocsPage(document: OpenApiDocument): HtmlPage {
  const documented = listDocumentedOperations(document);
  const parts = document.tags.map((tag) => ({
    ...tag,
    operations: documented.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  return {
    title: 'API reference',
    description: 'Every operation of the API with its fields, its responses and an example to copy.',
    main: html`<div class="wrap reference">
<div class="text">
<h1>API reference</h1>
<p>Version ${document.info.version}, at <span class="code">${document.servers[0]?.url}</span>. Machine-readable: <a href="${agentPaths.openapi}">openapi.json</a>. How to get a token: <a href="${agentPaths.instructions}">auth.md</a>. How to seal and to open a case: <a href="${agentPaths.sealing}">sealing.md</a>. As tools for MCP clients: <span class="code">${agentPaths.mcp}</span>.</p>
<p>Errors are problem details (RFC 9457) with a stable <span class="code">code</span> and a <span class="code">type</span>, the address of a page that says what to do; unknown fields are refused. Lists are paginated with the <span class="code">Link</span> header. A person completes every payment on the page of the payment provider.</p>
</div>
${renderContents(parts)}
<div class="text">
${parts.map((part) => renderPart(document, part))}
</div>
</div>`,
  };
}

function listDocumentedOperations({ paths }: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Stays beside the text on a wide screen. On a narrow one it comes first, and every part leads back to it. */
function renderContents(parts: readonly DocumentedPart[]): Html {
  return html`<nav class="contents" id="${CONTENTS_ID}" aria-label="Operations">${parts.map(({ name, operations }) => html`<p><a href="#${name}">${capitalize(name)}</a></p><ul>${operations.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`)}</ul>`)}</nav>`;
}

function renderPart(document: OpenApiDocument, { name, description, operations }: DocumentedPart): Html {
  return html`<section id="${name}"><h2>${capitalize(name)}</h2><p>${description}</p>
${operations.map((operation) => renderOperation(document, operation))}
<p class="again"><a href="#${CONTENTS_ID}">All operations</a></p></section>
`;
}

function renderOperation(document: OpenApiDocument, { method, path, operation }: DocumentedOperation): Html {
  const command = formatCurlExample(operation, { method, path, server: document.servers[0]?.url ?? '' });
  return html`<article id="${operation.operationId}">
<h3>${operation.summary}</h3>
<p><span class="code">${method.toUpperCase()} ${path}</span></p>
${renderRemarks(operation)}
<p class="small">${formatAccess(operation)} ${formatLimits(operation)}</p>
${renderFieldsTable('Parameters', listParameterRows(operation))}
${renderFieldsTable('Body', listBodyRows(operation))}
<h4>Example</h4>
<pre tabindex="0"><code>${command}</code></pre>
${renderResponses(operation)}
</article>`;
}

/** The description without its first sentence, which is the heading. */
function renderRemarks({ summary, description = '' }: OpenApiOperation): Html | null {
  const remarks = description.slice(`${summary}. `.length);
  return remarks === '' ? null : html`<p>${renderProse(remarks)}</p>`;
}

/** Text in backquotes becomes code; nothing else is treated as markup. */
function renderProse(text: string): Html[] {
  return text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? html`<span class="code">${piece}</span>` : html`${piece}`));
}

function formatAccess({ security = [] }: OpenApiOperation): string {
  if (security.length === 0) return 'No token needed.';
  const scope = security.flatMap((requirement) => requirement['oauth'] ?? [])[0];
  if (security.some((requirement) => Object.keys(requirement).length === 0))
    return `A token is optional; if you send one, it must have ${scope}.`;
  return scope ? `Needs a token with ${scope}.` : 'Needs a token.';
}

function formatLimits(operation: OpenApiOperation): string {
  const perMinute = Number(operation['x-requests-per-minute'] ?? 0);
  const bytes = Number(operation['x-body-bytes'] ?? 0);
  return [
    ...(perMinute ? [`At most ${perMinute} requests a minute from one IP address.`] : []),
    ...(bytes ? [`A body of at most ${bytes / 1_024} KiB.`] : []),
  ].join(' ');
}

interface Row {
  readonly name: string;
  readonly kind: string;
  readonly required: boolean;
  readonly text: string;
}

function renderFieldsTable(title: string, rows: readonly Row[]): Html | null {
  if (rows.length === 0) return null;
  return html`<h4>${title}</h4><table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">About</th></tr></thead><tbody>${rows.map(({ name, kind, required, text }) => html`<tr><th scope="row"><span class="code">${name}</span></th><td data-label="Type">${kind}${required ? null : ', optional'}</td><td data-label="About">${renderProse(text || '-')}</td></tr>`)}</tbody></table>`;
}

function listParameterRows({ parameters = [] }: OpenApiOperation): Row[] {
  return parameters.map(({ name, in: where, required = false, description = '', schema = {} }) => ({
    name,
    kind: `${formatSchemaType(schema)} in the ${where === 'header' ? 'headers' : where}`,
    required,
    text: description || (schema.description ?? ''),
  }));
}

function listBodyRows({ requestBody }: OpenApiOperation): Row[] {
  const schema = requestBody?.content['application/json']?.schema;
  return schema ? listSchemaRows(schema, '') : [];
}

/** Nested fields get dotted names, so that one table lists them all. */
function listSchemaRows({ properties = {}, required = [] }: JsonSchema, prefix: string): Row[] {
  return Object.entries(properties).flatMap(([name, property]) => [
    {
      name: prefix + name,
      kind: formatSchemaType(property),
      required: required.includes(name),
      text: property.description ?? '',
    },
    ...listSchemaRows(property, `${prefix}${name}.`),
  ]);
}

function formatSchemaType(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(formatSchemaType).join(', or ');
  if (schema.items) return `list of ${formatSchemaType(schema.items)}`;
  const remarks = [schema.format ?? [], formatRange(schema) ?? []].flat();
  return (
    [schema.type ?? 'anything'].flat().join(' or ') + (remarks.length > 0 ? ` (${remarks.join(', ')})` : '')
  );
}

/** The length of a text, or the size of a number. */
function formatRange({ minLength, maxLength, minimum, maximum }: JsonSchema): string | null {
  if (maximum !== undefined) return `${minimum ?? 0} to ${maximum}`;
  if (maxLength === undefined) return null;
  return minLength === undefined
    ? `at most ${maxLength} characters`
    : `${minLength} to ${maxLength} characters`;
}

function renderResponses({ responses }: OpenApiOperation): Html {
  return html`<h4>Responses</h4><dl>${Object.entries(responses).map(([status, response]) => html`<div><dt>${status}</dt><dd>${renderProse(response.description)}${renderResponseExample(response)}</dd></div>`)}</dl>`;
}

function renderResponseExample({ content = {} }: OpenApiResponse): Html | null {
  const example = content['application/json']?.example;
  if (example === undefined) return null;
  return html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`;
}
