/** Renders an operation: its purpose, who may call it, its fields, responses, errors and example calls. */
import type { JsonSchema, OpenApiOperation, OpenApiResponse } from '#agents/documents/openapi-document.ts';
import { type ProblemCode, problemKinds } from '#platform/problems.ts';
import { type Html, html } from '#view/html.ts';
import { type CodeExample, formatExamples } from './code-examples.ts';

export interface Field {
  readonly name: string;
  /** Prose, with code in backquotes. */
  readonly type: string;
  /** Empty if the field is always present. */
  readonly presence: string;
  readonly about: string;
}

export function renderFields(fields: readonly Field[]): Html {
  return html`<table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">About</th></tr></thead><tbody>${fields.map(
    ({ name, type, presence, about }) =>
      html`<tr><th scope="row"><span class="code">${name}</span></th><td data-label="Type">${renderProse(type)}${presence && `, ${presence}`}</td><td data-label="About">${renderProse(about)}</td></tr>`,
  )}</tbody></table>`;
}

/** Text in backquotes becomes code; nothing else is treated as markup. */
function renderProse(text: string): Html[] {
  return text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? html`<span class="code">${piece}</span>` : html`${piece}`));
}

/** `absent` marks a field that may be missing. Nested fields have dotted names, so that one table lists them all. */
function listFields(schema: JsonSchema, absent: string, prefix = ''): Field[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, property]) => {
    const { items } = property;
    const path = `${prefix}${name}${items ? '[]' : ''}`;
    return [
      {
        name: path,
        type: formatType(property),
        presence: required.includes(name) ? '' : absent,
        about: property.description ?? items?.description ?? '',
      },
      ...listFields(items ?? property, absent, `${path}.`),
    ];
  });
}

function formatType(schema: JsonSchema): string {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (values.length > 0) return values.map((value) => `\`${value}\``).join(' or ');
  if (schema.items) return `list of ${formatType(schema.items)}`;
  const limits = [schema.format ?? [], formatRange(schema) ?? []].flat();
  const [first = 'any', ...others] = [schema.type ?? []].flat();
  return [first + (limits.length > 0 ? ` (${limits.join(', ')})` : ''), ...others].join(' or ');
}

/** The length of a text, or the size of a number. */
function formatRange({ minLength, maxLength, minimum, maximum }: JsonSchema): string | null {
  if (maximum !== undefined) return `${minimum ?? 0} to ${maximum}`;
  if (maxLength === undefined) return null;
  return minLength === undefined
    ? `at most ${maxLength} characters`
    : `${minLength} to ${maxLength} characters`;
}

export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** `server` is the base URL of the API. */
export function renderOperation({ method, path, operation }: DocumentedOperation, server: string): Html {
  const successes = Object.entries(operation.responses).filter(([status]) => status < '400');
  const examples = formatExamples(operation, method, server + path);
  return html`<article id="${operation.operationId}">
<h2>${operation.summary}</h2>
<p><span class="code">${method.toUpperCase()} ${path}</span></p>
${renderRemarks(operation)}
<p class="small">${formatAccess(operation)} ${formatLimits(operation)}</p>
${renderPart('Parameters', renderRows(listParameters(operation)))}
${renderPart('Body', renderRows(listBodyFields(operation)))}
${renderExamples(examples)}
${successes.map(([status, response]) => renderAnswer(status, response))}
${renderErrors(operation, new URL(server).origin)}
</article>
`;
}

function renderPart(title: string, content: Html | null): Html | null {
  return content && html`<details class="foldable"><summary><h3>${title}</h3></summary>${content}</details>`;
}

export function renderExamples(examples: readonly CodeExample[]): Html[] {
  return examples.map(
    ({ title, language, text }, index) =>
      html`<details ?open="${index === 0}"><summary><h3>${title}</h3></summary>${renderBlock(language, text)}</details>`,
  );
}

export function renderBlock(language: string, text: string): Html {
  return html`<pre tabindex="0" data-language="${language}"><code>${text}</code></pre>`;
}

function renderJson(value: unknown): Html {
  return renderBlock('json', JSON.stringify(value, null, 2));
}

function renderRows(fields: readonly Field[]): Html | null {
  return fields.length === 0 ? null : renderFields(fields);
}

/** The description without its first sentence, which is the heading. */
function renderRemarks({ summary, description = '' }: OpenApiOperation): Html | null {
  const remarks = description.slice(`${summary}. `.length);
  return remarks === '' ? null : html`<p>${renderProse(remarks)}</p>`;
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
    ...(perMinute ? [`At most ${perMinute} requests a minute.`] : []),
    ...(bytes ? [`A body of at most ${bytes / 1_024} KiB.`] : []),
  ].join(' ');
}

function listParameters({ parameters = [] }: OpenApiOperation): Field[] {
  return parameters.map(({ name, in: where, required = false, description, schema = {} }) => ({
    name,
    type: `${formatType(schema)} in the ${where === 'header' ? 'headers' : where}`,
    presence: required ? '' : 'optional',
    about: description ?? schema.description ?? '',
  }));
}

function listBodyFields({ requestBody }: OpenApiOperation): Field[] {
  return listFields(requestBody?.content['application/json']?.schema ?? {}, 'optional');
}

function renderAnswer(status: string, { description, content = {}, headers = {} }: OpenApiResponse) {
  const { schema, example } = content['application/json'] ?? {};
  const headerFields = Object.entries(headers)
    // Rate limit headers are the same for every response, so they are described once, in auth.md.
    .filter(([name]) => !name.startsWith('RateLimit'))
    .map(([name, header]) => ({ name, type: 'header', presence: '', about: header.description }));
  const fields = [...headerFields, ...(schema ? listFields(schema, 'may be absent') : [])];
  return renderPart(
    `Answer ${status}`,
    html`<p>${renderProse(description)}</p>${renderRows(fields)}${example === undefined ? null : renderJson(example)}`,
  );
}

/** Lists the errors by status; the example body is that of the error most specific to this operation. */
function renderErrors(operation: OpenApiOperation, site: string): Html | null {
  const codes = Object.entries(operation.responses)
    .filter(([status]) => status >= '400')
    .flatMap(([, { description }]) =>
      [...description.matchAll(/`(\w+)`:/g)].map(([, code]) => code as ProblemCode),
    );
  const shown = ['402', '409', '404', '422', '401', '400'].flatMap((status) =>
    codes.filter((code) => String(problemKinds[code].status) === status),
  );
  return renderPart(
    'Errors',
    html`<ul class="list">${codes.map((code) => {
      const { status, title } = problemKinds[code];
      return html`<li>${status} <a href="/problems/${code}"><span class="code">${code}</span></a> ${title}</li>`;
    })}</ul>${shown[0] ? renderJson(buildProblemExample(shown[0], operation, site)) : null}`,
  );
}

function buildProblemExample(code: ProblemCode, operation: OpenApiOperation, site: string) {
  const [field] = listBodyFields(operation);
  const { status, title, detail } = problemKinds[code];
  return {
    type: `${site}/problems/${code}`,
    title,
    status,
    detail,
    code,
    request_id: 'q1Zl7yBq3mJx0c2y8l4QxA',
    ...(code === 'validation_failed' && {
      errors: [
        field
          ? { pointer: `/${field.name}`, detail: 'is missing' }
          : { parameter: 'limit', detail: 'must be a whole number within its limits, in digits' },
      ],
    }),
  };
}
