/** A registration sent as a form: the same fields as in JSON, a list is a repeated name. */

const LISTS: ReadonlySet<string> = new Set(['credential_types', 'redirect_uris']);

/** A name that comes again where one value belongs becomes a list, which the schema then refuses. */
export function toRegistrationBody(fields: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(fields.keys())];
  return Object.fromEntries(names.map((name) => [name, toFieldValue(name, fields.getAll(name))]));
}

function toFieldValue(name: string, values: string[]): string | string[] {
  const [first = ''] = values;
  return values.length === 1 && !LISTS.has(name) ? first : values;
}
