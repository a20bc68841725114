/** The body of a submission: a case that the caller sealed, or the fields of `inquiry.v1` in plain. */
import { type Static, Type } from 'typebox';
import { TERMS_VERSION } from '#cases/terms.ts';
import { Base64url, closed, Id } from '#platform/http/shapes.ts';
import { MAX_FILES } from '#seal/inquiry.ts';
import { LookupText } from '#wire/lookup-text.ts';
import { KeepDaysText } from './case-view.ts';

const Upload = Type.Object(
  { upload: Id, size: Type.Integer({ minimum: 1, description: 'Of all its pieces together.' }) },
  closed,
);

const Sealed = Type.Object(
  {
    lookup_hash: Type.String({
      ...LookupText,
      description: 'SHA-256 of the lookup token of the twelve words. The same hash is the same case.',
    }),
    case_key: Type.String({
      ...Base64url,
      description: 'The key of the case, sealed to the desk, the recovery key and the words.',
    }),
    envelope: Type.Optional(
      Type.String({
        ...Base64url,
        description: 'The envelope `inquiry.v1`, where it fits into the body; otherwise give `inquiry`.',
      }),
    ),
    inquiry: Type.Optional(Upload),
    files: Type.Optional(
      Type.Array(Upload, {
        maxItems: MAX_FILES,
        description: 'Uploaded with `putUploadPiece`, in the order of the inquiry; they need an `order_id`.',
      }),
    ),
  },
  closed,
);

const text = (description: string) => Type.String({ description });

/** The names and types alone: the rules stand in `#seal/inquiry.ts`, and speak in sentences. */
const PlainInquiry = Type.Object(
  {
    alias: text('A name to call the sender by, which need not be their own: 1 to 80 characters.'),
    question: text('20 to 4000 characters.'),
    subject: text('Who or what the inquiry is about: 1 to 300 characters.'),
    identifiers: Type.Optional(
      Type.Array(Type.String(), { description: 'Names, numbers, addresses: at most 50, of 512 characters.' }),
    ),
    background: Type.Optional(text('At most 4000 characters.')),
    jurisdiction: text('The country whose law applies to the sender, as two capital letters.'),
    safety_risk: Type.Enum(['none', 'possible', 'immediate'], { type: 'string' }),
    subject_is_protected: Type.Enum(['no', 'yes', 'unsure'], {
      type: 'string',
      description: 'Whether the subject is a minor, a partner, or protected by a court.',
    }),
    contact: Type.Optional(
      Type.Object(
        {
          mode: Type.Enum(['return_only', 'email', 'phone', 'signal', 'other'], { type: 'string' }),
          value: Type.Optional(text('Empty for `return_only`; at most 254 characters.')),
          safe_times: Type.Optional(text('At most 200 characters.')),
        },
        closed,
      ),
    ),
    call_windows: Type.Optional(
      Type.Array(
        Type.Object(
          {
            start: text('As `2026-12-31T14:30`, by the clock on the wall in `zone`.'),
            end: text('Later than `start`.'),
            zone: text('As `Europe/Paris`.'),
          },
          closed,
        ),
        { description: 'Times for the call that `Dossier` includes: at most 5.' },
      ),
    ),
    lawful_purpose: Type.Literal(true),
  },
  closed,
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
  closed,
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
    order_id: Type.Optional(Type.String({ ...Id, description: 'A paid order of this client.' })),
    session_id: Type.Optional(
      Type.String({ maxLength: 255, description: 'The `session_id` of a checkout that a person has paid.' }),
    ),
    terms_version: Type.Literal(TERMS_VERSION, { description: 'The rules that the sender agrees to.' }),
    keep_days: Type.Optional(KeepDaysText),
    sealed: Type.Optional(Sealed),
    plain: Type.Optional(Plain),
  },
  { ...closed, title: 'Inquiry', examples: [plainExample] },
);

export type InquiryBody = Static<typeof InquiryBody>;
