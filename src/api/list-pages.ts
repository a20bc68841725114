/** Pagination over HTTP: the page query, the cursors and the Link to the next page (RFC 8288). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ReadCounts } from '#cases/messages/messages.ts';
import type { PublicAddresses } from '#platform/addresses.ts';
import { describeDigits, describeObject } from '#platform/http/shapes.ts';
import { createCursorError, decodePageCursor, type PageRequest } from '#platform/page-cursor.ts';

interface PageSizes {
  readonly default: number;
  readonly max: number;
}

const Cursor = Type.Optional(Type.String({ maxLength: 100, description: 'The `next` of an earlier page.' }));

/** For MCP tools, whose input is typed JSON. */
export function createPageInputSchema(sizes: PageSizes) {
  const range = { minimum: 1, maximum: sizes.max, description: describeLimit(sizes) };
  return describeObject({ limit: Type.Optional(Type.Integer(range)), after: Cursor });
}

/** For query strings, which contain only text. */
export function createPageQuerySchema(sizes: PageSizes) {
  const digits = describeDigits({ minimum: 1, maximum: sizes.max }, describeLimit(sizes));
  return describeObject({ limit: Type.Optional(digits), after: Cursor });
}

function describeLimit(sizes: PageSizes): string {
  return `How many at most; ${sizes.default} if it is left out.`;
}

export const PAGE_HEADERS = {
  Link: 'The address of the next page as `rel="next"` (RFC 8288); absent on the last page.',
} as const;

export const NextCursor = Type.Optional(
  Type.String({
    description: 'The `after` of the next page, which is also in the Link header; absent on the last page.',
    examples: ['1794733200000.q1Zl7yBq3mJx0c2y8l4QxA'],
  }),
);

/** A page request from a query string or the input of a tool. */
export interface PageQuery {
  readonly limit?: string | number | undefined;
  readonly after?: string | undefined;
}

export function parsePageQuery({ limit, after: cursor }: PageQuery, sizes: PageSizes): PageRequest {
  const after = cursor === undefined ? undefined : decodePageCursor(cursor);
  if (after === null) throw createCursorError();
  return { limit: Number(limit ?? sizes.default), after };
}

/** Sets an absolute link, because many programs fetch the target unresolved. */
export function setNextPageLink(
  request: FastifyRequest,
  reply: FastifyReply,
  { site }: Pick<PublicAddresses, 'site'>,
  next: string | undefined,
): void {
  if (next === undefined) return;
  const { limit } = request.query as { limit?: string };
  const target = new URL(site);
  // Uses only the path, because a request may name any host (RFC 9112 §3.2.2).
  target.pathname = new URL(request.url, site).pathname;
  target.search = new URLSearchParams({
    ...(limit === undefined ? {} : { limit }),
    after: next,
  }).toString();
  reply.header('link', `<${target}>; rel="next"`);
}

/** The cursor of messages: how many of each side have been read. */
export const FIRST_MESSAGE_CURSOR = '0.0';

export function formatMessageCursor({ buyer, desk }: ReadCounts): string {
  return `${buyer}.${desk}`;
}

export function parseMessageCursor(cursor: string): ReadCounts {
  const [, buyer, desk] = /^(\d{1,3})\.(\d{1,3})$/.exec(cursor) ?? [];
  if (buyer === undefined || desk === undefined) throw createCursorError();
  return { buyer: Number(buyer), desk: Number(desk) };
}
