/** Shapes that the bodies of every door are made of: closed objects, ids, bytes as text. */
import { Type } from 'typebox';
import { ID_PATTERN } from '#platform/id-pattern.ts';

/** For objects in bodies and queries: a field that is not known is refused, never dropped. */
export const closedObject = { additionalProperties: false } as const;

/** An identifier that this service or a caller made: 128 bits. */
export const IdSchema = Type.String({ pattern: `^${ID_PATTERN}$`, examples: ['q1Zl7yBq3mJx0c2y8l4QxA'] });

/** Whole bytes only: a length of 4n+1 can hold none. */
export const Base64urlSchema = Type.String({
  pattern: '^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$',
  minLength: 2,
  description: 'base64url without padding (RFC 4648 §5).',
  examples: ['YWdlLWVuY3J5cHRpb24'],
});
