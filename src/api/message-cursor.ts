/** The cursor of messages: how many of each side have been read. */
import type { ReadCounts } from '#cases/messages/messages.ts';
import { createCursorError } from '#platform/page-cursor.ts';

export const FIRST_MESSAGE_CURSOR = '0.0';

export function formatMessageCursor({ buyer, desk }: ReadCounts): string {
  return `${buyer}.${desk}`;
}

export function parseMessageCursor(cursor: string): ReadCounts {
  const [, buyer, desk] = /^(\d{1,3})\.(\d{1,3})$/.exec(cursor) ?? [];
  if (buyer === undefined || desk === undefined) throw createCursorError();
  return { buyer: Number(buyer), desk: Number(desk) };
}
