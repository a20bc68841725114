/** Pagination over HTTP: the page query, the cursor and the Link to the next page (RFC 8288). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { PublicAddresses } from '#platform/addresses.ts';
import { createCursorError } from '#platform/http/cursor-error.ts';
import { closedObject } from '#platform/http/shapes.ts';
import { decodePageCursor, type PageRequest } from '#platform/page-cursor.ts';

interface PageSizes {
  readonly default: number;
  readonly max: number;
}

export function createPageQuerySchema(sizes: PageSizes) {
  return Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: sizes.max,
          description: `How many at most; ${sizes.default} if it is left out.`,
        }),
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
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

export function parsePageQuery(
  { limit, after: cursor }: PageQuery,
  sizes: Pick<PageSizes, 'default'>,
): PageRequest {
  const after = cursor === undefined ? undefined : decodePageCursor(cursor);
  if (after === null) throw createCursorError();
  return { limit: limit ?? sizes.default, after };
}

/** Absolute, since many programs fetch the target as it is. */
export function setNextPageLink(
  request: FastifyRequest,
  reply: FastifyReply,
  { site }: Pick<PublicAddresses, 'site'>,
  next: string | undefined,
): void {
  if (next === undefined) return;
  const { limit } = request.query as { limit?: number };
  const target = new URL(site);
  // The path alone: a request may name any host (RFC 9112 §3.2.2).
  target.pathname = new URL(request.url, site).pathname;
  target.search = new URLSearchParams({
    ...(limit === undefined ? {} : { limit: String(limit) }),
    after: next,
  }).toString();
  reply.header('link', `<${target}>; rel="next"`);
}
