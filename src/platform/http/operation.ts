/** How operations describe themselves: names and tags for readers, and every problem that an answer may be. */
import type { RouteOptions } from 'fastify';
import { type Static, Type } from 'typebox';
import { getProblemKind, type ProblemCode, problemKinds } from '#platform/problems.ts';
import { PROBLEM_MEDIA_TYPE } from './problem.ts';
import { closedObject } from './shapes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the operation refuses by itself; what follows from its access and its schemas goes without saying. */
    problems?: readonly ProblemCode[];
  }
}

export const apiTags = [
  { name: 'service', description: 'Whether the service is up and ready.' },
  { name: 'payments', description: 'Prices, checkout and orders.' },
  {
    name: 'cases',
    description: 'Submitting an inquiry and following its case. Everything in a case is sealed.',
  },
  { name: 'contact', description: 'Messages to the desk that belong to no case.' },
  {
    name: 'agents',
    description:
      'How a program becomes a client. These operations are served by the site, outside the path of the API.',
  },
] as const;

type Tag = (typeof apiTags)[number]['name'];

interface Description {
  readonly operationId: string;
  readonly tag: Tag;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly description?: string;
}

/** The part of a route's schema that says what the operation is. */
export function describeOperation({ tag, ...told }: Description) {
  return { ...told, tags: [tag] };
}

/** RFC 9457, as `problemBody` writes it. */
export const ProblemDetails = Type.Object(
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
        Type.Object(
          {
            pointer: Type.String({
              description:
                'A JSON Pointer (RFC 6901) into the body, or one that begins with `/querystring` or `/params`.',
            }),
            detail: Type.String(),
          },
          closedObject,
        ),
      ),
    ),
  },
  { ...closedObject, title: 'Problem', description: 'Problem details (RFC 9457).' },
);

export type ProblemDetails = Static<typeof ProblemDetails>;

type Route = Pick<RouteOptions, 'config' | 'schema'>;

const ALWAYS: readonly ProblemCode[] = [
  'malformed_request',
  'not_acceptable',
  'internal_error',
  'overloaded',
];
const OF_TOKENS: readonly ProblemCode[] = [
  'token_in_query',
  'invalid_token',
  'invalid_dpop_proof',
  'insufficient_scope',
  'storage_unavailable',
];
const OF_BODIES: readonly ProblemCode[] = [
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];

/** Every code that a route may answer with. */
export function listProblemCodes({ config = {}, schema = {} }: Route): readonly ProblemCode[] {
  const { access = 'public', problems = [], rateLimit } = config;
  return [
    ...new Set([
      ...ALWAYS,
      ...(access === 'public' ? [] : OF_TOKENS),
      ...(typeof access === 'string' && access !== 'public' ? (['unauthorized'] as const) : []),
      ...(schema.body ? OF_BODIES : []),
      ...(schema.querystring || schema.params ? (['validation_failed'] as const) : []),
      ...(rateLimit === false ? [] : (['rate_limited'] as const)),
      ...problems,
    ]),
  ];
}

export interface ProblemResponse {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: unknown }>>;
}

/**
 * The refusals of a route by status, as OpenAPI writes responses. They are no part of the route's own schema: the
 * bodies are written already, and a serializer for each would lengthen every start.
 */
export function buildProblemResponses(
  route: Route,
  schema: unknown = ProblemDetails,
): Record<string, ProblemResponse> {
  const byStatus = Map.groupBy(listProblemCodes(route), (code) => getProblemKind(code).status);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([one], [other]) => one - other)
      .map(([status, codes]) => [
        String(status),
        {
          description: codes.map((code) => `\`${code}\`: ${getProblemKind(code).title}.`).join(' '),
          content: { [PROBLEM_MEDIA_TYPE]: { schema } },
        },
      ]),
  );
}
