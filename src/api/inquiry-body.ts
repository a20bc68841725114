/** The body of a submission: a case that the caller sealed, or the fields of `inquiry.v1` in plain. */
import { type Static, Type } from 'typebox';
import { TERMS_VERSION } from '#cases/terms.ts';
import { Base64urlSchema, closedObject, IdSchema } from '#platform/http/shapes.ts';
import { MAX_INQUIRY_FILES } from '#seal/inquiry-files.ts';
import { LookupTokenText } from '#wire/lookup-text.ts';
import { KeepDaysSchema } from './case-view.ts';

const Upload = Type.Object(
  { upload: IdSchema, size: Type.Integer({ minimum: 1, description: 'Of all its pieces together.' }) },
  closedObject,
);

const Sealed = Type.Object(
  {
    lookup_hash: Type.String({
      ...LookupTokenText,
      description: 'SHA-256 of the lookup token of the twelve words. The same hash is the same case.',
    }),
    case_key: Type.String({
      ...Base64urlSchema,
      description: 'The key of the case, sealed to the desk, the recovery key and the words.',
    }),
    envelope: Type.Optional(
      Type.String({
        ...Base64urlSchema,
        description: 'The envelope `inquiry.v1`, where it fits into the body; otherwise give `inquiry`.',
      }),
    ),
    inquiry: Type.Optional(Upload),
    files: Type.Optional(
      Type.Array(Upload, {
        maxItems: MAX_INQUIRY_FILES,
        description: 'Uploaded with `putUploadPiece`, in the order of the inquiry; they need an `order_id`.',
      }),
    ),
  },
  closedObject,
);

const createTextSchema = (description: string) => Type.String({ description });

/** The names and types alone: the rules stand in `#seal/inquiry.ts`, and speak in sentences. */
const PlainInquiry = Type.Object(
  {
    alias: createTextSchema('A name to call the sender by, which need not be their own: 1 to 80 characters.'),
    question: createTextSchema('20 to 4000 characters.'),
    subject: createTextSchema('Who or what the inquiry is about: 1 to 300 characters.'),
    identifiers: Type.Optional(
      Type.Array(Type.String(), { description: 'Names, numbers, addresses: at most 50, of 512 characters.' }),
    ),
    background: Type.Optional(createTextSchema('At most 4000 characters.')),
    jurisdiction: createTextSchema('The country whose law applies to the sender, as two capital letters.'),
    safety_risk: Type.Enum(['none', 'possible', 'immediate'], { type: 'string' }),
    subject_is_protected: Type.Enum(['no', 'yes', 'unsure'], {
      type: 'string',
      description: 'Whether the subject is a minor, a partner, or protected by a court.',
    }),
    contact: Type.Optional(
      Type.Object(
        {
          mode: Type.Enum(['return_only', 'email', 'phone', 'signal', 'other'], { type: 'string' }),
          value: Type.Optional(createTextSchema('Empty for `return_only`; at most 254 characters.')),
          safe_times: Type.Optional(createTextSchema('At most 200 characters.')),
        },
        closedObject,
      ),
    ),
    call_windows: Type.Optional(
      Type.Array(
        Type.Object(
          {
            start: createTextSchema('As `2026-12-31T14:30`, by the clock on the wall in `zone`.'),
            end: createTextSchema('Later than `start`.'),
            zone: createTextSchema('As `Europe/Paris`.'),
          },
          closedObject,
        ),
        { description: 'Times for the call that `Dossier` includes: at most 5.' },
      ),
    ),
    lawful_purpose: Type.Literal(true),
  },
  closedObject,
);

const Plain = Type.Object(
  {
    inquiry: PlainInquiry,
    words: Type.Optional(
      Type.String({
        maxLength: 400,
        description:
          'Twelve words (BIP 39, English) that are to open the case, so that a lost answer loses nothing. Without them the answer tells new ones, once.',
      }),
    ),
  },
  closedObject,
);

const plainExample = {
  order_id: 'q1Zl7yBq3mJx0c2y8l4QxA',
  terms_version: TERMS_VERSION,
  plain: {
    inquiry: {
      alias: 'Robin',
      question: 'Is this recruiter who she says she is?',
      subject: 'A recruiter who wrote to me',
      identifiers: ['+44 20 7946 0000'],
      jurisdiction: 'FR',
      safety_risk: 'none',
      subject_is_protected: 'no',
      lawful_purpose: true,
    },
  },
} as const;

export const InquiryBody = Type.Object(
  {
    order_id: Type.Optional(Type.String({ ...IdSchema, description: 'A paid order of this client.' })),
    session_id: Type.Optional(
      Type.String({ maxLength: 255, description: 'The `session_id` of a checkout that a person has paid.' }),
    ),
    terms_version: Type.Literal(TERMS_VERSION, { description: 'The rules that the sender agrees to.' }),
    keep_days: Type.Optional(KeepDaysSchema),
    sealed: Type.Optional(Sealed),
    plain: Type.Optional(Plain),
  },
  { ...closedObject, title: 'Inquiry', examples: [plainExample] },
);

export type InquiryBody = Static<typeof InquiryBody>;
