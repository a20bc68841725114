/** Lists in pages by keyset: the query, the place where a page ends, and the Link to the next (RFC 8288). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import { closed } from '#platform/http/shapes.ts';

interface PageSizes {
  readonly usual: number;
  readonly most: 50 | 100;
}

export function pageQuery({ usual, most }: PageSizes) {
  const pattern = most === 100 ? '^([1-9][0-9]?|100)$' : '^([1-9]|[1-4][0-9]|50)$';
  return Type.Object(
    {
      limit: Type.Optional(Type.String({ pattern, description: `1 to ${most}; ${usual} if left out.` })),
      after: Type.Optional(
        Type.String({ maxLength: 100, description: 'Where an earlier page ended, as it said.' }),
      ),
    },
    closed,
  );
}

export const Next = Type.Optional(
  Type.String({
    description: 'The `after` of the next page, which Link names too; absent on the last page.',
  }),
);

/** A place in a list that is ordered by time. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

export function cursorOf({ at, id }: Place): string {
  return `${at}.${id}`;
}

export function placeOf(cursor: string): Place {
  const [, at, id] = /^(\d{1,15})\.([\w-]{22})$/.exec(cursor) ?? [];
  if (at && id) return { at: Number(at), id };
  throw badPlace();
}

export function badPlace(): ServiceError {
  return new ServiceError('validation_failed', {
    errors: [{ pointer: '/querystring/after', detail: 'must be where an earlier page ended' }],
  });
}

/** Relative to the request, so that it holds behind any address. */
export function linkNext(request: FastifyRequest, reply: FastifyReply, next: string | undefined): void {
  if (next === undefined) return;
  const { limit } = request.query as { limit?: string };
  const query = new URLSearchParams({ ...(limit === undefined ? {} : { limit }), after: next });
  reply.header('link', `<?${query}>; rel="next"`);
}
