/** Parses request parameters as the provider does: into typed values, or an error that names the parameter. */
import type { FastifyInstance } from 'fastify';
import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { Set as setFormat } from 'typebox/format';
import { Value } from 'typebox/value';
import { ProviderApiError } from './errors.ts';

/** As received, in brackets: `a[b][0]=x` is `{a: {b: ['x']}}`. */
export type RawParameters = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 10;
const ABSOLUTE_URL = 'absolute-url';

// Only checks the URL: normalizing would escape the braces of the placeholder.
setFormat(ABSOLUTE_URL, (text) => /^https?:\/\/[^/\s]/i.test(text) && URL.canParse(text));

export const Url = Type.String({ maxLength: 5_000, format: ABSOLUTE_URL });

export function describeText(maxLength = 5_000) {
  return Type.String({ minLength: 1, maxLength });
}

/** Not `Type.Integer`, which would round the text of another number. */
export function describeInteger(limits: { minimum?: number; maximum?: number } = {}) {
  return Type.Number({ multipleOf: 1, ...limits });
}

/** Describes an object that may have no other fields. */
export function describeObject<Fields extends TProperties>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false });
}

export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  patternProperties: { '^[^]{1,40}$': { type: 'string', maxLength: 500 } },
  additionalProperties: false,
  maxProperties: 50,
});

/** Written by hand, because the usual library has twenty dependencies. Arrays have indices, as the SDK sends them. */
export function parseForm(text: string): RawParameters {
  const form = createNode();
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...steps] = name.split('[', MAX_DEPTH + 2);
    if (steps.length > MAX_DEPTH || !steps.every((step) => step.endsWith(']')))
      throw new ProviderApiError(400, 'The name of a parameter cannot be read.');
    const path = [first, ...steps.map((step) => step.slice(0, -1))];
    const last = path.pop()!;
    let node = form;
    for (const step of path) {
      node[step] ??= createNode();
      const inner = node[step];
      if (typeof inner === 'string')
        throw new ProviderApiError(400, `${step} is text and an object at once.`);
      node = inner;
    }
    node[last] = value;
  }
  return convertNode(form);
}

interface FormNode {
  [name: string]: string | FormNode;
}

/** Has no prototype, because metadata may be named like a method of every object. */
function createNode(): FormNode {
  return Object.create(null) as FormNode;
}

/** Converts each inner node whose keys are indices to an array. */
function convertNode(node: FormNode): Record<string, unknown> {
  const entries = Object.entries(node).map(([name, inner]) => {
    if (typeof inner === 'string') return [name, inner] as const;
    const converted = convertNode(inner);
    const isArray = Object.keys(inner).every((key, index) => key === String(index));
    return [name, isArray ? Object.values(converted) : converted] as const;
  });
  return Object.assign(createNode(), Object.fromEntries(entries));
}

export function parseParameters<Schema extends TSchema>(schema: Schema, raw: RawParameters): Static<Schema> {
  const value = Value.Convert(schema, structuredClone(raw));
  const [error] = Value.Errors(schema, value);
  if (error) throw createParameterError(error);
  return value as Static<Schema>;
}

type ParameterMistake = ReturnType<typeof Value.Errors>[number];

function createParameterError(error: ParameterMistake): Error {
  const path = error.instancePath.split('/').slice(1);
  const missing = error.keyword === 'required' ? error.params.requiredProperties : [];
  const [first, ...rest] = [...path, ...missing.slice(0, 1)];
  const param = [first, ...rest.map((step) => `[${step}]`)].join('');
  // A field that the object must not have has the schema `false`.
  const message = error.keyword === 'boolean' ? 'no such parameter' : error.message;
  return new ProviderApiError(400, `'${param}': ${message}.`, { param });
}

/** Needs its own Fastify scope; a body is passed on as the text that was sent. */
export function acceptFormsAlone(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, body),
  );
}
