/** The pages of short lists at the desk. */
import { Type } from 'typebox';
import { describeObject } from '#platform/http/shapes.ts';
import { createCursorError, decodePageCursor, type PageRequest } from '#platform/page-cursor.ts';

const ROWS = 50;

export const DeskPageQuerySchema = describeObject({ after: Type.Optional(Type.String({ maxLength: 200 })) });

export function parseDeskPage({ after: cursor }: { readonly after?: string | undefined }): PageRequest {
  const after = cursor === undefined ? undefined : decodePageCursor(cursor);
  if (after === null) throw createCursorError();
  return { limit: ROWS, after };
}
