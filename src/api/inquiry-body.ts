/** The request body of a submission: a case sealed by the caller, or the fields of `inquiry.v1` in plain text. */
import { type Static, Type } from 'typebox';
import { FORM_DAYS } from '#platform/expiry.ts';
import {
  Base64urlSchema,
  describeObject,
  HashText,
  IdSchema,
  LookupTokenText,
} from '#platform/http/shapes.ts';
import { MAX_INQUIRY_FILES } from '#seal/form/inquiry-files.ts';
import { KeepDaysSchema } from './case-view.ts';
import { PlainInquirySchema, plainInquiryExample } from './plain-inquiry.ts';
import { TERMS_VERSION_EXAMPLE } from './pricing.ts';

const UploadSchema = describeObject(
  {
    upload: Type.String({ ...IdSchema, description: 'The `upload` of `putUploadPiece`.' }),
    size: Type.Integer({ minimum: 1, description: 'The total size of its pieces in bytes.' }),
  },
  { title: 'Upload', description: 'A file that was uploaded in pieces.' },
);

const SealedSubmission = describeObject(
  {
    lookup_hash: Type.String({
      ...LookupTokenText,
      description: 'SHA-256 of the lookup token of the twelve words. The same hash is the same case.',
    }),
    case_key: Type.String({
      ...Base64urlSchema,
      description: 'The key of the case, sealed to the desk, the recovery key and the words.',
    }),
    sealing_set: Type.Optional(
      Type.String({
        ...HashText,
        description:
          '`set` of the sealing keys that `case_key` is sealed to. With it, keys that have changed in between are noticed; required once they have changed.',
      }),
    ),
    envelope: Type.Optional(
      Type.String({
        ...Base64urlSchema,
        description: 'The envelope `inquiry.v1`, if it fits into the body; otherwise give `inquiry`.',
      }),
    ),
    inquiry: Type.Optional(UploadSchema),
    files: Type.Optional(
      Type.Array(UploadSchema, {
        maxItems: MAX_INQUIRY_FILES,
        description: 'Uploaded with `putUploadPiece`, in the order of the inquiry; they need an `order_id`.',
      }),
    ),
  },
  { title: 'SealedInquiry', description: 'Sealed by the caller.' },
);

export const PlainSubmission = describeObject(
  {
    inquiry: PlainInquirySchema,
    words: Type.Optional(
      Type.String({
        maxLength: 400,
        description:
          'Twelve words (BIP 39, English) that will open the case, so that nothing is lost if the response is. They are 16 bytes of a cryptographic random generator of the program: never words that a person or a language model has chosen, which others would guess. Without them, the response contains new words.',
      }),
    ),
  },
  { title: 'PlainInquiry', description: 'Sealed on arrival.' },
);

const plainExample = {
  order_id: 'q1Zl7yBq3mJx0c2y8l4QxA',
  terms_version: TERMS_VERSION_EXAMPLE,
  plain: { inquiry: plainInquiryExample },
} as const;

export const InquiryBody = describeObject(
  {
    order_id: Type.Optional(Type.String({ ...IdSchema, description: 'A paid order of this client.' })),
    session_id: Type.Optional(
      Type.String({ maxLength: 255, description: 'The `session_id` of a checkout that a person has paid.' }),
    ),
    terms_version: Type.String({
      maxLength: 64,
      description: `The terms that the sender agrees to: those in force, which \`GET /pricing\` names, or some that ended less than ${FORM_DAYS} days ago.`,
      examples: [TERMS_VERSION_EXAMPLE],
    }),
    keep_days: Type.Optional(KeepDaysSchema),
    sealed: Type.Optional(SealedSubmission),
    plain: Type.Optional(PlainSubmission),
  },
  {
    title: 'Inquiry',
    examples: [plainExample],
  },
);

export type InquiryBody = Static<typeof InquiryBody>;
