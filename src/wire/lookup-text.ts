/** A lookup token or its hash as text: 32 bytes in canonical base64url. */
import { Type } from 'typebox';

/** The last letter carries only four bits: any other letter would be a second spelling of the same bytes. */
export const LookupTokenText = Type.String({ pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' });
