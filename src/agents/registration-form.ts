/** Converts a registration sent as a form to the JSON body; a list is a repeated name. */

const LIST_FIELDS: ReadonlySet<string> = new Set(['credential_types', 'redirect_uris']);

/** A repeated name becomes a list; the schema refuses it if the field takes a single value. */
export function toRegistrationBody(fields: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(fields.keys())];
  return Object.fromEntries(names.map((name) => [name, toFieldValue(name, fields.getAll(name))]));
}

function toFieldValue(name: string, values: string[]): string | string[] {
  const [first = ''] = values;
  return values.length === 1 && !LIST_FIELDS.has(name) ? first : values;
}
