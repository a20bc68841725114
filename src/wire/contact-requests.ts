/** The request of the contact page's script; the script imports only the type. */
import { type Static, Type } from 'typebox';
import { Base64urlSchema, closedObject } from '#platform/http/shapes.ts';
import { RecipientSetText } from './recipient-set-text.ts';

export const SealedContactRequestSchema = Type.Object(
  { sealed: Base64urlSchema, sealing_set: Type.Optional(RecipientSetText) },
  closedObject,
);
export type SealedContactRequest = Static<typeof SealedContactRequestSchema>;
