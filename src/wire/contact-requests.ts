/** The request of the contact page's script; the script imports only the type. */
import { type Static, Type } from 'typebox';
import { Base64urlSchema, describeObject } from '#platform/http/shapes.ts';
import { RecipientSetText } from './lookup-text.ts';

export const SealedContactRequestSchema = describeObject({
  sealed: Base64urlSchema,
  sealing_set: Type.Optional(RecipientSetText),
});
export type SealedContactRequest = Static<typeof SealedContactRequestSchema>;
