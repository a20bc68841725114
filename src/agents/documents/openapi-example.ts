/** Builds an example for a schema: the schema's own example, or one built from its properties. */

/** The part of JSON Schema that our routes use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

/** Includes optional properties, so that the example shows every field. */
export function buildSchemaExample(schema: JsonSchema): unknown {
  const [candidate = schema.const] = [...(schema.examples ?? []), ...(schema.enum ?? [])];
  if (candidate !== undefined) return candidate;
  const [type] = [schema.type].flat();
  switch (type) {
    case 'object':
      return mapValues(schema.properties ?? {}, buildSchemaExample);
    case 'array':
      return schema.items ? [buildSchemaExample(schema.items)] : [];
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return '…';
  }
}

export function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
