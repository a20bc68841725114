/** Builds an example for a schema: the schema's own example, or one built from its properties. */

/** The part of JSON Schema that our routes use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly description?: string;
  readonly title?: string;
  readonly [keyword: string]: unknown;
}

const formatExamples: Readonly<Record<string, string>> = {
  'date-time': '2026-11-15T09:00:00.000Z',
  date: '2026-11-15',
  uri: 'https://example.com/',
  email: 'someone@example.com',
};

export function buildSchemaExample(schema: JsonSchema): unknown {
  const candidates = [...(schema.examples ?? []), ...(schema.enum ?? [])].concat(schema.const ?? []);
  if (schema.example !== undefined) return schema.example;
  if (candidates.length > 0) return candidates[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return buildSchemaExample(choice);
  switch (String([schema.type].flat()[0])) {
    case 'object':
      return buildObjectExample(schema);
    case 'array':
      return schema.items ? [buildSchemaExample(schema.items)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return formatExamples[schema.format ?? ''] ?? '…';
  }
}

/** Includes optional properties, so that the example shows every field. */
function buildObjectExample({ properties = {} }: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, buildSchemaExample(property)]),
  );
}
