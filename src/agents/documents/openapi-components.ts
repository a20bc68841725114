/** Moves parts that several operations of the OpenAPI document share to its components, each under a name. */
import { STATUS_CODES } from 'node:http';
import { PROBLEM_MEDIA_TYPE } from '#platform/http/problem.ts';
import {
  mapValues,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiResponse,
} from './openapi-document.ts';

type Part = Readonly<Record<string, unknown>>;
/** A part of an operation, with the path of its component. */
type PlacedPart = readonly [place: string, part: unknown];

/** Generators name their types after components. Returns an equivalent document with references. */
export function moveToComponents(document: OpenApiDocument): unknown {
  const { securitySchemes } = document.components;
  const items = { paths: document.paths, webhooks: document.webhooks };
  const operations = Object.values(items).flatMap((each) =>
    Object.values(each).flatMap((item) => Object.values(item)),
  );
  const shared = findSharedParts(operations.flatMap(listParts));
  const refer = (place: string, part: unknown) =>
    shared.get(place) === JSON.stringify(part) ? { $ref: `#/components/${place}` } : part;
  const moveHeaders = ({ headers, ...response }: OpenApiResponse) => ({
    ...response,
    ...(headers && {
      headers: mapValues(headers, (header, name) => refer(toPlace('headers', name), header)),
    }),
  });
  const moveOperationParts = ({ parameters, responses, ...operation }: OpenApiOperation) => ({
    ...operation,
    ...(parameters && {
      parameters: parameters.map((each) => refer(toPlace('parameters', each.name), each)),
    }),
    responses: mapValues(responses, (response, status) => {
      const moved = refer(toPlace('responses', STATUS_CODES[status] ?? status), response);
      return moved === response ? moveHeaders(response) : moved;
    }),
  });
  const components: Record<string, Record<string, unknown>> = { responses: {}, parameters: {}, headers: {} };
  for (const [place, text] of shared) {
    const [kind = '', name = ''] = place.split('/');
    const part = JSON.parse(text) as OpenApiResponse;
    components[kind]![name] = kind === 'responses' ? moveHeaders(part) : part;
  }
  const schemas: Record<string, unknown> = {};
  const moved = mapValues(items, (each) => mapValues(each, (item) => mapValues(item, moveOperationParts)));
  const whole = moveSchemas({ ...moved, components }, schemas) as Record<string, object>;
  return { ...document, ...whole, components: { schemas, ...whole['components'], securitySchemes } };
}

function listParts({ parameters = [], responses }: OpenApiOperation): PlacedPart[] {
  return [
    ...parameters.map((parameter) => [toPlace('parameters', parameter.name), parameter] as const),
    ...Object.entries(responses).flatMap(([status, response]) => [
      ...(PROBLEM_MEDIA_TYPE in (response.content ?? {})
        ? [[toPlace('responses', STATUS_CODES[status] ?? status), response] as const]
        : []),
      ...Object.entries(response.headers ?? {}).map(
        ([name, header]) => [toPlace('headers', name), header] as const,
      ),
    ]),
  ];
}

/** Maps each place to the JSON that most operations have there; other values stay inline. */
function findSharedParts(parts: readonly PlacedPart[]): ReadonlyMap<string, string> {
  const shared = new Map<string, string>();
  for (const [place, placed] of Map.groupBy(parts, ([key]) => key)) {
    const variants = Map.groupBy(placed, ([, part]) => JSON.stringify(part));
    const [[text, uses] = ['', []]] = [...variants].toSorted(([, a], [, b]) => b.length - a.length);
    if (uses.length > 1) shared.set(place, text);
  }
  return shared;
}

/** The path of a component, whose name is that of a type. */
function toPlace(kind: 'responses' | 'parameters' | 'headers', text: string): string {
  const name = text.replaceAll(/(?:^|[^A-Za-z]+)([A-Za-z]?)/g, (_all, letter: string) =>
    letter.toUpperCase(),
  );
  return `${kind}/${name}`;
}

/** Makes a component of each schema with a title, without examples: those of a whole body are beside the schema. */
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
