/** The page of the API reference: each operation with its fields, answers and a command to copy. */
import type { OpenApiDocument, Operation, Response } from '#agents/documents/openapi-document.ts';
import type { Schema } from '#agents/documents/openapi-example.ts';
import { agentPaths } from '#platform/addresses.ts';
import { type Html, html } from '#view/html.ts';
import type { Page } from '#view/page.ts';
import { curlExample, serverOf } from './curl-example.ts';

interface Place {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export function docsPage(document: OpenApiDocument): Page {
  const places = placesOf(document);
  const groups = document.tags.map((tag) => ({
    ...tag,
    places: places.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  return {
    title: 'API reference',
    description: 'Every operation of the API, with its fields, its answers and an example to copy.',
    main: html`<div class="wrap text reference">
<h1>API reference</h1>
<p>Version ${document.info.version}, at <span class="code">${document.servers[0]?.url}</span>. The same for programs: <a href="${agentPaths.openapi}">openapi.json</a>. How to get a token: <a href="${agentPaths.instructions}">auth.md</a>.</p>
<p>Errors are problem details (RFC 9457) with a stable <span class="code">code</span>; a field that is not known is refused. Every list comes in pages that <span class="code">Link</span> leads through. A person completes every payment on the provider’s page.</p>
<nav aria-label="Operations"><ul>${groups.map(({ places: those }) => those.map(entry))}</ul></nav>
${groups.map(({ name, description, places: those }) => html`<section><h2>${titled(name)}</h2><p>${description}</p>${those.map((place) => article(document, place))}</section>`)}
</div>`,
  };
}

function placesOf({ paths }: OpenApiDocument): Place[] {
  return Object.entries(paths).flatMap(([path, { servers: _servers, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

function titled(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function entry({ method, path, operation }: Place): Html {
  return html`<li><a href="#${operation.operationId}">${operation.summary}</a> <span class="code">${method.toUpperCase()} ${path}</span></li>`;
}

function article(document: OpenApiDocument, { method, path, operation }: Place): Html {
  const command = curlExample(operation, { method, path, server: serverOf(document, path) });
  return html`<article id="${operation.operationId}">
<h3>${operation.summary}</h3>
<p><span class="code">${method.toUpperCase()} ${path}</span></p>
${operation.description ? html`<p>${prose(operation.description)}</p>` : null}
<p class="small">${accessText(operation)} ${limitText(operation)}</p>
${fieldsTable('Parameters', parameterRows(operation))}
${fieldsTable('Body', bodyRows(operation))}
<h4>Example</h4>
<pre tabindex="0"><code>${command}</code></pre>
${answers(operation)}
</article>`;
}

/** Backquotes are code; nothing else is markup. */
function prose(text: string): Html[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<span class="code">${part}</span>` : html`${part}`));
}

function accessText({ security = [] }: Operation): string {
  if (security.length === 0) return 'Needs no token.';
  const scope = security.flatMap((each) => each['oauth'] ?? [])[0];
  if (security.some((each) => 'registration' in each)) return 'Needs the registration token.';
  if (security.some((each) => Object.keys(each).length === 0))
    return `A token is optional; one that is shown must carry ${scope}.`;
  return scope ? `Needs a token with ${scope}.` : 'Needs a token.';
}

function limitText(operation: Operation): string {
  const perMinute = Number(operation['x-requests-per-minute'] ?? 0);
  const bytes = Number(operation['x-body-bytes'] ?? 0);
  return [
    ...(perMinute ? [`At most ${perMinute} requests a minute from one address.`] : []),
    ...(bytes ? [`A body of at most ${bytes / 1_024} KiB.`] : []),
  ].join(' ');
}

interface Row {
  readonly name: string;
  readonly kind: string;
  readonly required: boolean;
  readonly text: string;
}

function fieldsTable(title: string, rows: readonly Row[]): Html | null {
  if (rows.length === 0) return null;
  return html`<h4>${title}</h4><table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">About</th></tr></thead><tbody>${rows.map(({ name, kind, required, text }) => html`<tr><th scope="row"><span class="code">${name}</span></th><td data-label="Type">${kind}${required ? null : ', optional'}</td><td data-label="About">${prose(text || '-')}</td></tr>`)}</tbody></table>`;
}

function parameterRows({ parameters = [] }: Operation): Row[] {
  return parameters.map(({ name, in: where, required = false, description = '', schema = {} }) => ({
    name,
    kind: `${kindOf(schema)} in the ${where === 'header' ? 'headers' : where}`,
    required,
    text: description || (schema.description ?? ''),
  }));
}

function bodyRows({ requestBody }: Operation): Row[] {
  const schema = requestBody?.content['application/json']?.schema;
  return schema ? rowsOf(schema, '') : [];
}

/** Objects within objects as dotted names, so that one table tells all. */
function rowsOf({ properties = {}, required = [] }: Schema, before: string): Row[] {
  return Object.entries(properties).flatMap(([name, part]) => [
    {
      name: before + name,
      kind: kindOf(part),
      required: required.includes(name),
      text: part.description ?? '',
    },
    ...rowsOf(part, `${before}${name}.`),
  ]);
}

function kindOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(kindOf).join(', or ');
  if (schema.items) return `list of ${kindOf(schema.items)}`;
  return [schema.type ?? 'anything'].flat().join(' or ') + (schema.format ? ` (${schema.format})` : '');
}

function answers({ responses }: Operation): Html {
  return html`<h4>Answers</h4><dl>${Object.entries(responses).map(([status, response]) => html`<div><dt>${status}</dt><dd>${prose(response.description)}${sample(response)}</dd></div>`)}</dl>`;
}

function sample({ content = {} }: Response): Html | null {
  const example = content['application/json']?.example;
  if (example === undefined) return null;
  return html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`;
}
