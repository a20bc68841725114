/** Describes the fields of a body as a table: their names, types, values and meaning, with those of nested objects. */
import type { JsonSchema } from '#agents/documents/openapi-example.ts';
import { type Html, html } from '#view/html.ts';

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
export function renderProse(text: string): Html[] {
  return text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? html`<span class="code">${piece}</span>` : html`${piece}`));
}

/** `absent` marks a field that may be missing. Nested fields have dotted names, so that one table lists them all. */
export function listFields(schema: JsonSchema, absent: string, prefix = ''): Field[] {
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

export function formatType(schema: JsonSchema): string {
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
