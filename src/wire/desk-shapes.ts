/** Schemas that the answers of the desk API share: hashes, times, counts and cursors. */
import { Type } from 'typebox';

/** A SHA-256 in base64url. */
export const HashText = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
export const TimeText = Type.String({ format: 'date-time' });
export const TimeTextOrNull = Type.Union([TimeText, Type.Null()]);
export const ItemCount = Type.Integer({ minimum: 0 });
export const CursorOrNull = Type.Union([Type.String({ maxLength: 200 }), Type.Null()]);
