/** The text by which a sender says which keys it has sealed to. */
import { Type } from 'typebox';

/** A SHA-256 as base64url. */
export const RecipientSetText = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
