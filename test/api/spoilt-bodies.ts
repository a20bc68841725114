/** Invalid bodies, derived from a schema and from a body that it accepts. */
import fc from 'fast-check';

export interface BodySchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly items?: BodySchema;
}

type Path = readonly (string | number)[];

/** Yields bodies that are invalid in exactly one place. */
export function generateSpoiltBodies(schema: BodySchema, sample: unknown): fc.Arbitrary<unknown> {
  return fc.oneof(...listFaultsAt(schema, sample, [], sample));
}

function listFaultsAt(
  schema: BodySchema,
  value: unknown,
  path: Path,
  whole: unknown,
): fc.Arbitrary<unknown>[] {
  const insertWrongValue = (wrong: fc.Arbitrary<unknown>) =>
    wrong.map((each) => updateAt(whole, path, () => each));
  const wrongHere = listWrongValues(schema).map(insertWrongValue);
  if (schema.properties && isRecord(value)) wrongHere.push(...listRecordFaults(schema, value, path, whole));
  if (schema.items && Array.isArray(value)) wrongHere.push(...listArrayFaults(schema, value, path, whole));
  return wrongHere;
}

function listRecordFaults(
  { properties = {}, required = [] }: BodySchema,
  value: Record<string, unknown>,
  path: Path,
  whole: unknown,
): fc.Arbitrary<unknown>[] {
  const missing = required.map((name) =>
    fc.constant(updateAt(whole, path, (record) => omitField(record as Record<string, unknown>, name))),
  );
  const unknown = fc
    .tuple(
      fc
        .string({ unit: 'binary' })
        .filter((name) => !Object.hasOwn(properties, name) && name !== '__proto__'),
      fc.jsonValue({ maxDepth: 2 }),
    )
    .map(([name, extra]) => updateAt(whole, path, (record) => ({ ...(record as object), [name]: extra })));
  const inner = Object.entries(properties).flatMap(([name, schema]) =>
    Object.hasOwn(value, name) ? listFaultsAt(schema, value[name], [...path, name], whole) : [],
  );
  return [...missing, unknown, ...inner];
}

function listArrayFaults(
  { items = {}, maxItems }: BodySchema,
  value: readonly unknown[],
  path: Path,
  whole: unknown,
): fc.Arbitrary<unknown>[] {
  const inner = value.length > 0 ? listFaultsAt(items, value[0], [...path, 0], whole) : [];
  if (maxItems === undefined || value.length === 0) return inner;
  const tooMany = Array.from({ length: maxItems + 1 }, () => value[0]);
  return [...inner, fc.constant(updateAt(whole, path, () => tooMany))];
}

/** Values of another type, and values of the right type that are not allowed. */
function listWrongValues(schema: BodySchema): fc.Arbitrary<unknown>[] {
  const allowed = schema.enum ?? (schema.const === undefined ? null : [schema.const]);
  if (allowed) return [fc.jsonValue({ maxDepth: 1 }).filter((value) => !allowed.includes(value))];
  const { type, pattern, minLength = 0, maxLength, minimum, maximum } = schema;
  const wrong = [fc.jsonValue({ maxDepth: 2 }).filter((value) => !hasType(value, type))];
  if (pattern) {
    const rule = new RegExp(pattern, 'u');
    const strings = fc.string({ unit: 'binary', maxLength: 60 });
    wrong.push(strings.filter((text) => !rule.test(text) || Array.from(text).length < minLength));
  }
  if (maxLength) wrong.push(fc.string({ minLength: maxLength + 1, maxLength: maxLength + 50 }));
  if (minimum !== undefined) wrong.push(fc.integer({ max: minimum - 1 }));
  if (maximum !== undefined) wrong.push(fc.integer({ min: maximum + 1 }));
  return wrong;
}

function hasType(value: unknown, type: string | undefined): boolean {
  if (type === 'object') return isRecord(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function omitField(record: Record<string, unknown>, name: string): Record<string, unknown> {
  const { [name]: _gone, ...rest } = record;
  return rest;
}

function updateAt(whole: unknown, [step, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (step === undefined) return change(whole);
  if (Array.isArray(whole))
    return whole.map((each, index) => (index === step ? updateAt(each, rest, change) : each));
  const record = whole as Record<string, unknown>;
  return { ...record, [step]: updateAt(record[step], rest, change) };
}
