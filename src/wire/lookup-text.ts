/** A lookup token, or its hash, as text: 32 bytes in base64url, written in the one way that they can be found by. */
import { Type } from 'typebox';

/** The last letter carries four bits: any other than these would be a second spelling, which no words lead to. */
export const LookupTokenText = Type.String({ pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' });
