/** Hashes as text in base64url: a lookup token or its hash, and the tag of the keys that a sender has sealed to. */
import { Type } from 'typebox';

/** The last letter carries only four bits: any other letter would be a second spelling of the same bytes. */
export const LookupTokenText = Type.String({ pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' });

/** A SHA-256 as base64url. */
export const RecipientSetText = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
