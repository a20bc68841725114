/** What an owner's desk and the service exchange when people join or leave: recipient sets, and what to reseal. */
import { type Static, Type } from 'typebox';
import { Base64urlSchema, describeObject, HashText, IdSchema } from '#platform/http/shapes.ts';
import { MAX_MESSAGES } from '#seal/case/message.ts';

const KIB = 1024;
/** The longest note, sealed to a hundred people. */
const MAX_NOTE_BYTES = 512 * KIB;
/** Fits one such note and a key sealed to as many people. */
export const MAX_RESEALING_BYTES = KIB * KIB;
export const MAX_RESEALED_CASES = 20;
/** More cases than any desk has; a larger count is invalid. */
const MAX_COUNT = 10_000_000;

const NoteNumber = Type.Integer({ minimum: 0, maximum: MAX_MESSAGES - 1 });

const RecipientSetSchema = describeObject({
  /** The tag of the set. */
  set: HashText,
  /** Includes the recovery key. A key without a name has the role `desk`. */
  members: Type.Array(
    describeObject({
      name: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
      role: Type.String({ maxLength: 40 }),
      /** SHA-256 of the public key. */
      hash: HashText,
    }),
    { maxItems: 101 },
  ),
});

export const DeskSetQuerySchema = describeObject({ set: Type.Optional(HashText) });

/** `GET /desk/sealing-set`, for owners. */
export const DeskRecipientSetSchema = describeObject({
  /** The set that new cases are sealed to. */
  adopted: Type.Union([RecipientSetSchema, Type.Null()]),
  /** The set in the current configuration of the service; null while the file has errors. */
  configured: Type.Union([RecipientSetSchema, Type.Null()]),
  /** How many cases are not known to be sealed to the set in the query or, without one, to the configured set. */
  left: Type.Integer({ minimum: 0, maximum: MAX_COUNT }),
});
export type DeskRecipientSet = Static<typeof DeskRecipientSetSchema>;

/** `POST /desk/sealing-set` adopts the configured set in place of `former`; returns the same as `GET`. */
export const DeskSetRequestSchema = describeObject({
  former: Type.Union([HashText, Type.Null()]),
  set: HashText,
});
export type DeskSetRequest = Static<typeof DeskSetRequestSchema>;

export const DeskResealingQuerySchema = describeObject({
  set: HashText,
  /** `next` of the previous page. */
  after: Type.Optional(IdSchema),
});
export type DeskResealingQuery = Static<typeof DeskResealingQuerySchema>;

/** `GET /desk/resealing`: cases that are not known to be sealed to `set`. The last page is empty and has no `next`. */
export const DeskResealingPageSchema = describeObject({
  cases: Type.Array(
    describeObject({
      id: IdSchema,
      lookup_hash: HashText,
      /** Null if it cannot be read. */
      case_key: Type.Union([Base64urlSchema, Type.Null()]),
      /** The notes themselves are read as pieces of the case. */
      notes: Type.Array(
        describeObject({ seq: NoteNumber, size: Type.Integer({ minimum: 1, maximum: MAX_NOTE_BYTES }) }),
        { maxItems: MAX_MESSAGES },
      ),
    }),
    { maxItems: MAX_RESEALED_CASES },
  ),
  next: Type.Union([IdSchema, Type.Null()]),
});
export type DeskResealingPage = Static<typeof DeskResealingPageSchema>;

/** `PUT /desk/resealing`: a case may come in several parts, the last of which completes it. */
export const DeskResealingRequestSchema = describeObject({
  set: HashText,
  cases: Type.Array(
    describeObject({
      id: IdSchema,
      /** SHA-256 of the sealed key that was opened; any other key is left in place. */
      former: HashText,
      case_key: Base64urlSchema,
      notes: Type.Array(describeObject({ seq: NoteNumber, sealed: Base64urlSchema }), {
        maxItems: MAX_MESSAGES,
      }),
      /** Whether no part of the case is still sealed to a previous set. */
      whole: Type.Boolean(),
    }),
    { minItems: 1, maxItems: MAX_RESEALED_CASES },
  ),
});
export type DeskResealingRequest = Static<typeof DeskResealingRequestSchema>;

/** The cases whose key another owner has replaced in the meantime. */
export const DeskResealingResultSchema = describeObject({
  changed: Type.Array(IdSchema, { maxItems: MAX_RESEALED_CASES }),
});
export type DeskResealingResult = Static<typeof DeskResealingResultSchema>;

/** `PUT /desk/resealing/refunds`: one of the refunds that `GET` lists in the form of `/desk/refunds`. Answers 204. */
export const DeskRefundResealingSchema = describeObject({
  set: HashText,
  id: IdSchema,
  sealed: Base64urlSchema,
});
export type DeskRefundResealing = Static<typeof DeskRefundResealingSchema>;

/** `POST /desk/resealing/end` overwrites what previous keys could open; returns the same as `GET /desk/sealing-set`. */
export const DeskResealingEndSchema = describeObject({ set: HashText });
