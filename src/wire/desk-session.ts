/** How an investigator's desk signs in to the service: a challenge that is sealed to the desk's key, then a session. */
import { type Static, Type } from 'typebox';
import { DESK_ROLES } from '#platform/config/recipients.ts';
import { Base64urlSchema, describeObject, HashText, IdSchema, TimeSchema } from '#platform/http/shapes.ts';

export const DeskChallengeRequestSchema = describeObject({
  recipient: Type.String({ pattern: '^age1pq1[02-9ac-hj-np-z]{1952}$' }),
});

export const DeskChallengeSchema = describeObject({ id: IdSchema, sealed: Base64urlSchema });
export type DeskChallenge = Static<typeof DeskChallengeSchema>;

/** The text sealed in a challenge, padded to a fixed size; invalid at any other origin and after a minute. */
export const DeskChallengeTextSchema = describeObject({
  v: Type.Literal(1),
  kind: Type.Literal('desk-challenge'),
  origin: Type.String({ maxLength: 300 }),
  nonce: HashText,
  /** Epoch milliseconds. */
  expires: Type.Integer({ minimum: 0 }),
});
export type DeskChallengeText = Static<typeof DeskChallengeTextSchema>;

/** Sent with a DPoP proof (RFC 9449) of the key that the session is bound to. */
export const DeskSessionRequestSchema = describeObject({ id: IdSchema, nonce: HashText });
export type DeskSessionRequest = Static<typeof DeskSessionRequestSchema>;

/** `holder` is the SHA-256 of the public key, by which cases and audit entries name the person. */
const DeskPersonSchema = describeObject({
  holder: HashText,
  name: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
  role: Type.Enum([...DESK_ROLES]),
  recipient: Type.String({ maxLength: 2000 }),
});
export type DeskPersonView = Static<typeof DeskPersonSchema>;

const version = Type.String({ pattern: '^[0-9A-Za-z.+-]{1,40}$' });
/** The only part read from a session in another format, to report its version. */
export const AnyDeskSessionSchema = Type.Object({ office: Type.Object({ version }) });

export const DeskSessionSchema = describeObject({
  token: Type.String({ maxLength: 100 }),
  expires_at: TimeSchema,
  holder: HashText,
  people: Type.Array(DeskPersonSchema, { maxItems: 100 }),
  /** The public recovery key. */
  recovery: Type.String({ maxLength: 2000 }),
  office: describeObject({ version, test: Type.Boolean() }),
});
export type DeskSession = Static<typeof DeskSessionSchema>;
