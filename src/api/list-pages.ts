/** Lists in pages by keyset: the query, the place where a page ends, and the Link to the next (RFC 8288). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import { closedObject } from '#platform/http/shapes.ts';

interface PageSizes {
  readonly usual: number;
  readonly most: 50 | 100;
}

export function createPageQuerySchema({ usual, most }: PageSizes) {
  const pattern = most === 100 ? '^([1-9][0-9]?|100)$' : '^([1-9]|[1-4][0-9]|50)$';
  return Type.Object(
    {
      limit: Type.Optional(Type.String({ pattern, description: `1 to ${most}; ${usual} if left out.` })),
      after: Type.Optional(
        Type.String({ maxLength: 100, description: 'Where an earlier page ended, as it said.' }),
      ),
    },
    closedObject,
  );
}

export const NextCursor = Type.Optional(
  Type.String({
    description: 'The `after` of the next page, which Link names too; absent on the last page.',
  }),
);

/** A place in a list that is ordered by time. */
export interface PageCursor {
  readonly at: number;
  readonly id: string;
}

export function encodePageCursor({ at, id }: PageCursor): string {
  return `${at}.${id}`;
}

export function decodePageCursor(cursor: string): PageCursor {
  const [, at, id] = /^(\d{1,15})\.([\w-]{22})$/.exec(cursor) ?? [];
  if (at && id) return { at: Number(at), id };
  throw createCursorError();
}

export function createCursorError(): ServiceError {
  return new ServiceError('validation_failed', {
    errors: [{ pointer: '/querystring/after', detail: 'must be where an earlier page ended' }],
  });
}

/** Relative to the request, so that it holds behind any address. */
export function setNextPageLink(
  request: FastifyRequest,
  reply: FastifyReply,
  next: string | undefined,
): void {
  if (next === undefined) return;
  const { limit } = request.query as { limit?: string };
  const query = new URLSearchParams({ ...(limit === undefined ? {} : { limit }), after: next });
  reply.header('link', `<?${query}>; rel="next"`);
}
