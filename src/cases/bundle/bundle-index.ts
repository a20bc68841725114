/** The index of a bundle: what is in it, and what was done with the case. */
import { type Static, Type } from 'typebox';
import { tierNames } from '#payments/tiers.ts';
import { closedObject, IdSchema } from '#platform/http/shapes.ts';
import { MAX_FINDINGS } from '#seal/finding.ts';
import { CASE_OBJECT_KINDS } from '#seal/header.ts';
import { MAX_MESSAGES, toMessageFileSeq } from '#seal/message.ts';
import { CALL_STATES, CASE_STATES, SEALED_BY } from '#store/column-values.ts';
import { LookupTokenText } from '#wire/lookup-text.ts';

const size = Type.Integer({ minimum: 0, maximum: 2 ** 40 });
const time = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const timeOrNull = Type.Union([time, Type.Null()]);

export const bundleIndexSchema = Type.Object(
  {
    case: Type.Object(
      {
        id: IdSchema,
        lookup_hash: LookupTokenText,
        tier: Type.Enum(tierNames),
        state: Type.Enum([...CASE_STATES]),
        call: Type.Enum([...CALL_STATES]),
        sealed_by: Type.Enum([...SEALED_BY]),
        // Any number: the case may have been submitted when the choices were different.
        keep_days: Type.Integer({ minimum: 1, maximum: 36_500 }),
        terms_version: Type.String({ maxLength: 64 }),
        submitted_at: time,
        due_at: time,
        delivered_at: timeOrNull,
        finding_seq: Type.Integer({ minimum: 0, maximum: MAX_FINDINGS - 1 }),
        purge_at: timeOrNull,
      },
      closedObject,
    ),
    case_key: size,
    result_key: size,
    pins: Type.Array(
      Type.Object(
        {
          desk: Type.String({ pattern: '^[\\w-]{22}$' }),
          case: IdSchema,
          lookup_hash: LookupTokenText,
          recipient_hash: LookupTokenText,
          mac: LookupTokenText,
        },
        closedObject,
      ),
      { maxItems: 100 },
    ),
    objects: Type.Array(
      Type.Object(
        {
          kind: Type.Enum([...CASE_OBJECT_KINDS]),
          seq: Type.Integer({ minimum: 0, maximum: toMessageFileSeq(MAX_MESSAGES, 0) }),
          size,
          kept_at: time,
        },
        closedObject,
      ),
      { maxItems: 1_000 },
    ),
    acts: Type.Array(
      Type.Union([
        Type.Object(
          {
            act: Type.Enum(['message', 'ask', 'decline']),
            seq: Type.Integer({ minimum: 0, maximum: 1_000 }),
            offers_call: Type.Boolean(),
            // Absent in bundles of earlier versions.
            books_call: Type.Optional(Type.Boolean()),
          },
          closedObject,
        ),
        Type.Object({ act: Type.Literal('deliver') }, closedObject),
      ]),
      { maxItems: 1_000 },
    ),
  },
  closedObject,
);

export type BundleIndex = Static<typeof bundleIndexSchema>;
