/** What the script of the contact page sends to the service: a type alone for the script. */
import { type Static, Type } from 'typebox';
import { Base64urlSchema, closedObject } from '#platform/http/shapes.ts';

export const SealedContactRequestSchema = Type.Object({ sealed: Base64urlSchema }, closedObject);
export type SealedContactRequest = Static<typeof SealedContactRequestSchema>;
