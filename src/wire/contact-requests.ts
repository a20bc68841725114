/** The request of the contact page's script; the script imports only the type. */
import { type Static, Type } from 'typebox';
import { Base64urlSchema, describeObject, HashText } from '#platform/http/shapes.ts';

/** Fits the longest message in 4-byte characters, padded, sealed to a dozen investigators, as base64url. */
export const SEALED_CONTACT_BYTES = 128 * 1024;

export const SealedContactRequestSchema = describeObject({
  sealed: Base64urlSchema,
  sealing_set: Type.Optional(HashText),
});
export type SealedContactRequest = Static<typeof SealedContactRequestSchema>;
