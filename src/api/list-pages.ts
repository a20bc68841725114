/** Pagination over HTTP: the page query, the cursor and the Link to the next page (RFC 8288). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { createCursorError } from '#platform/http/cursor-error.ts';
import { closedObject } from '#platform/http/shapes.ts';
import { decodePageCursor, type PageRequest } from '#platform/page-cursor.ts';

interface PageSizes {
  readonly default: number;
  readonly max: 50 | 100;
}

export function createPageQuerySchema(sizes: PageSizes) {
  const pattern = sizes.max === 100 ? '^([1-9][0-9]?|100)$' : '^([1-9]|[1-4][0-9]|50)$';
  return Type.Object(
    {
      limit: Type.Optional(
        Type.String({ pattern, description: `1 to ${sizes.max}; default ${sizes.default}.` }),
      ),
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
  { limit, after: cursor }: PageQuery,
  sizes: Pick<PageSizes, 'default'>,
): PageRequest {
  const after = cursor === undefined ? undefined : decodePageCursor(cursor);
  if (after === null) throw createCursorError();
  return { limit: limit === undefined ? sizes.default : Number(limit), after };
}

/** Relative to the request, so that it is valid behind any proxy. */
export function setNextPageLink(request: FastifyRequest, reply: FastifyReply, next: string | null): void {
  if (next === null) return;
  const { limit } = request.query as { limit?: string };
  const query = new URLSearchParams({ ...(limit === undefined ? {} : { limit }), after: next });
  reply.header('link', `<?${query}>; rel="next"`);
}
