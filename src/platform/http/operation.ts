/** Describes operations for the OpenAPI document: names, tags and all problems that they may return. */
import type { RouteOptions } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { type ProblemCode, problemKinds } from '#platform/problems.ts';
import { PROBLEM_MEDIA_TYPE } from './problem.ts';
import { describeObject } from './shapes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Problems specific to the operation; those that follow from its access and schemas are added automatically. */
    problems?: readonly ProblemCode[];
    /** Accepts only tokens of the client itself; a person's token is refused. */
    clientOnly?: true;
  }
}

export const apiTags = [
  { name: 'payments', description: 'Prices, checkout and orders. A person completes every payment.' },
  { name: 'inquiries', description: 'Submitting an inquiry for a paid order, sealed or in plain text.' },
  { name: 'cases', description: 'Following a case and writing to the desk. Everything in a case is sealed.' },
  { name: 'plain', description: 'Reading and answering a case that the service sealed, with its words.' },
  { name: 'contact', description: 'Messages to the desk that belong to no case.' },
  { name: 'callback', description: 'Where a program is told of events, instead of asking again and again.' },
  { name: 'service', description: 'Whether the service is up and ready.' },
] as const;

/** An answer of one operation: its own example and headers, added to a schema that others may share. */
export function describeAnswer<Schema extends TSchema>(
  schema: Schema,
  { example, headers = {} }: { readonly example?: Static<Schema>; readonly headers?: AnswerHeaders },
): Schema {
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { type: 'string', description },
  ]);
  return {
    ...schema,
    ...(example !== undefined && { examples: [example] }),
    ...(described.length > 0 && { headers: Object.fromEntries(described) as unknown }),
  };
}

/** The description of each header. */
type AnswerHeaders = Readonly<Record<string, string>>;

/** RFC 9457; the body that `serializeProblem` writes. */
export const ProblemDetails = describeObject(
  {
    type: Type.String({ format: 'uri', description: 'A page that explains the code.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'For people to read.' }),
    code: Type.Enum(Object.keys(problemKinds) as ProblemCode[], {
      type: 'string',
      description: 'For programs; the meaning of a code never changes.',
    }),
    request_id: Type.String({ description: 'Quote it when you report the problem.' }),
    errors: Type.Optional(
      Type.Array(
        describeObject({
          pointer: Type.Optional(Type.String({ description: 'RFC 6901, into the body.' })),
          parameter: Type.Optional(Type.String({ description: 'Or one of the address.' })),
          detail: Type.String(),
        }),
      ),
    ),
  },
  { title: 'Problem', description: 'Problem details (RFC 9457).' },
);

export type ProblemDetails = Static<typeof ProblemDetails>;

type Route = Pick<RouteOptions, 'config' | 'schema'>;

const GENERAL_PROBLEMS: readonly ProblemCode[] = [
  'malformed_request',
  'not_acceptable',
  // Also for a body or a content coding where none is accepted.
  'unsupported_media_type',
  'internal_error',
  'overloaded',
  'answer_timeout',
];
const TOKEN_PROBLEMS: readonly ProblemCode[] = [
  'token_in_query',
  'invalid_token',
  'invalid_dpop_proof',
  'insufficient_scope',
  'storage_unavailable',
];
const BODY_PROBLEMS: readonly ProblemCode[] = ['malformed_json', 'payload_too_large', 'validation_failed'];

/** For an operation that takes no body but may be sent one, because it changes something. */
export const UNEXPECTED_BODY_PROBLEMS: readonly ProblemCode[] = ['malformed_json', 'payload_too_large'];

/** Lists every problem code that a route may return. */
export function listProblemCodes({ config = {}, schema = {} }: Route): readonly ProblemCode[] {
  const { access = 'public', clientOnly, problems = [], liveness } = config;
  return [
    ...new Set([
      ...GENERAL_PROBLEMS,
      ...(access === 'public' ? [] : TOKEN_PROBLEMS),
      ...(typeof access === 'string' && access !== 'public' ? (['unauthorized'] as const) : []),
      ...(clientOnly ? (['client_token_required'] as const) : []),
      ...(schema.body ? BODY_PROBLEMS : []),
      ...(schema.querystring || schema.params ? (['validation_failed'] as const) : []),
      ...(schema.params ? (['uri_too_long'] as const) : []),
      ...(liveness ? [] : (['rate_limited'] as const)),
      ...problems,
    ]),
  ];
}

/** Not in the route's schema: Fastify would compile a serializer for each at every start; problems need none. */
export function buildProblemResponses(route: Route, schema: unknown) {
  const byStatus = Map.groupBy(listProblemCodes(route), (code) => problemKinds[code].status);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${problemKinds[code].title}.`).join(' '),
          content: { [PROBLEM_MEDIA_TYPE]: { schema } },
        },
      ]),
  );
}
