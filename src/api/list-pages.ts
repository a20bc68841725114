/** Pages of a list over HTTP: the query of a page, its cursor and the Link to the next page (RFC 8288). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import { closedObject } from '#platform/http/shapes.ts';
import { decodePageCursor, type PageRequest } from '#platform/page-cursor.ts';

interface PageSizes {
  readonly usual: number;
  readonly most: 50 | 100;
}

export function createPageQuerySchema({ usual, most }: PageSizes) {
  const pattern = most === 100 ? '^([1-9][0-9]?|100)$' : '^([1-9]|[1-4][0-9]|50)$';
  return Type.Object(
    {
      limit: Type.Optional(Type.String({ pattern, description: `1 to ${most}; default ${usual}.` })),
      after: Type.Optional(Type.String({ maxLength: 100, description: 'The `next` of an earlier page.' })),
    },
    closedObject,
  );
}

export const NextCursor = Type.Optional(
  Type.String({
    description: 'The `after` of the next page, which is also in the Link header; absent on the last page.',
  }),
);

interface PageQuery {
  readonly limit?: string | undefined;
  readonly after?: string | undefined;
}

export function parsePageQuery(
  { limit, after: text }: PageQuery,
  { usual }: Pick<PageSizes, 'usual'>,
): PageRequest {
  const after = text === undefined ? undefined : decodePageCursor(text);
  if (after === null) throw createCursorError();
  return { limit: limit === undefined ? usual : Number(limit), after };
}

export function createCursorError(): ServiceError {
  return new ServiceError('validation_failed', {
    errors: [{ pointer: '/querystring/after', detail: 'must be a cursor from an earlier page' }],
  });
}

/** Relative to the request, so that it holds behind any address. */
export function setNextPageLink(request: FastifyRequest, reply: FastifyReply, next: string | null): void {
  if (next === null) return;
  const { limit } = request.query as { limit?: string };
  const query = new URLSearchParams({ ...(limit === undefined ? {} : { limit }), after: next });
  reply.header('link', `<?${query}>; rel="next"`);
}
