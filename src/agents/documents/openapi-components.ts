/** Moves what several operations of the OpenAPI document have in common to its components, with a name for each. */
import { PROBLEM_MEDIA_TYPE } from '#platform/http/problem.ts';
import type { OpenApiDocument, OpenApiOperation, OpenApiResponse } from './openapi-document.ts';

type Part = Readonly<Record<string, unknown>>;
type Components = Record<'schemas' | 'responses' | 'parameters', Record<string, unknown>>;

/** Generators name their types after the components. Returns another document; a reader resolves it to the same. */
export function moveToComponents(document: OpenApiDocument): unknown {
  const components: Components = { schemas: {}, responses: {}, parameters: {} };
  const uses = countUses(document);
  const moveOperationParts = (operation: OpenApiOperation) => ({
    ...operation,
    ...(operation.parameters && {
      parameters: operation.parameters.map((parameter) =>
        isShared(uses, parameter)
          ? moveComponent(components, 'parameters', toTypeName(parameter.name), parameter)
          : parameter,
      ),
    }),
    responses: mapValues(operation.responses, (response) =>
      isProblem(response) && isShared(uses, response)
        ? moveComponent(components, 'responses', nameProblems(response), response)
        : response,
    ),
  });
  const paths = mapValues(document.paths, (item) => mapValues(item, moveOperationParts));
  const shared = moveSchemas({ paths, ...components }, components.schemas) as {
    paths: unknown;
  } & Components;
  const { securitySchemes } = document.components;
  const { schemas } = components;
  return {
    ...document,
    paths: shared.paths,
    components: { schemas, responses: shared.responses, parameters: shared.parameters, securitySchemes },
  };
}

/** How often each parameter and each response is in the document, by its JSON. */
function countUses({ paths }: OpenApiDocument): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  for (const part of operations.flatMap(({ parameters = [], responses }) => [
    ...parameters,
    ...Object.values(responses),
  ])) {
    const text = JSON.stringify(part);
    uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  return uses;
}

function isShared(uses: ReadonlyMap<string, number>, part: unknown): boolean {
  return (uses.get(JSON.stringify(part)) ?? 0) > 1;
}

/** A part that has the name of another stays where it is. */
function moveComponent(components: Components, kind: keyof Components, name: string, part: unknown): unknown {
  const known = components[kind][name];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(part)) return part;
  components[kind][name] = part;
  return { $ref: `#/components/${kind}/${name}` };
}

function isProblem({ content = {} }: OpenApiResponse): boolean {
  return PROBLEM_MEDIA_TYPE in content;
}

/** Named after the codes of its problems, which its description lists. */
function nameProblems({ description }: OpenApiResponse): string {
  return [...description.matchAll(/`(\w+)`:/g)].map(([, code = '']) => toTypeName(code)).join('');
}

function toTypeName(text: string): string {
  return text.replaceAll(/(?:^|[^A-Za-z]+)([A-Za-z]?)/g, (_all, letter: string) => letter.toUpperCase());
}

/** A schema with a title becomes a component of that name. Its example is beside the schema of a whole body, and is not kept here. */
function moveSchemas(part: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(part)) return part.map((each) => moveSchemas(each, schemas));
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part as Part).map(([name, value]) => [
    name,
    name === 'example' || name === 'examples' ? value : moveSchemas(value, schemas),
  ]);
  const whole = Object.fromEntries(entries) as Part;
  const { title, examples: _examples, ...schema } = whole;
  if (typeof title !== 'string') return whole;
  const known = schemas[title];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`Two schemas have the title ${title}`);
  schemas[title] = schema;
  return { $ref: `#/components/schemas/${title}` };
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
