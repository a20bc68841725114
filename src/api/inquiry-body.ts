/** The request body of a submission: a case sealed by the caller, or the fields of `inquiry.v1` in plain text. */
import { type Static, type TSchema, Type } from 'typebox';
import { ServiceError } from '#platform/errors.ts';
import { FORM_DAYS } from '#platform/expiry.ts';
import {
  Base64urlSchema,
  describeObject,
  HashText,
  IdSchema,
  LookupTokenText,
} from '#platform/http/shapes.ts';
import { MAX_CALL_WINDOWS } from '#seal/case/call-window.ts';
import {
  type ChoiceField,
  type InquiryContactField,
  type InquiryFieldFacts,
  isFieldRequired,
} from '#seal/form/inquiry-field-kinds.ts';
import { inquiryFieldEntries, inquiryFields } from '#seal/form/inquiry-fields.ts';
import { MAX_INQUIRY_FILES } from '#seal/form/inquiry-files.ts';
import { KeepDaysSchema } from './case-view.ts';
import { TERMS_VERSION_EXAMPLE } from './pricing.ts';

const createTextSchema = (description: string, limits: { minLength?: number; maxLength?: number } = {}) =>
  Type.String({ ...limits, ...(description && { description }) });

export const CallWindowSchema = describeObject(
  {
    start: createTextSchema('Local time in `zone`, such as `2026-12-31T14:30`.'),
    end: createTextSchema('Later than `start`.'),
    zone: createTextSchema('Such as `Europe/Paris`.'),
  },
  { title: 'CallWindow' },
);

const { call_number: callNumber, call_windows: callWindows } = inquiryFields;

/** The schemas of a call, which are the same in an inquiry and in a message. */
export const callSchemas = {
  call_number: Type.Optional(createTextSchema(callNumber.description)),
  call_windows: Type.Optional(
    Type.Array(CallWindowSchema, { description: callWindows.description, maxItems: MAX_CALL_WINDOWS }),
  ),
};

/** Names, types and lengths. The rules are in `#seal/form/inquiry.ts`. */
const PlainInquirySchema = describeObject(toProperties(inquiryFieldEntries), {
  description: 'The fields of `inquiry.v1`.',
});

const plainInquiryExample: Readonly<Record<string, unknown>> = Object.fromEntries(
  inquiryFieldEntries
    .map(([name, field]) => [name, getFieldExample(field)] as const)
    .filter(([, example]) => example !== undefined),
);

function toProperties(
  fields: readonly (readonly [string, InquiryFieldFacts])[],
): Readonly<Record<string, TSchema>> {
  return Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const schema = createFieldSchema(field);
      if (schema === null) return [];
      return [[name, isFieldRequired(field) ? schema : Type.Optional(schema)]];
    }),
  );
}

/** Returns null for a field that a plain inquiry does not have. */
function createFieldSchema(field: InquiryFieldFacts): TSchema | null {
  switch (field.kind) {
    case 'line':
    case 'area':
      return createTextSchema(field.description ?? '', {
        ...(field.min && { minLength: field.min }),
        maxLength: field.max,
      });
    case 'list': {
      const { description, max: maxLength, maxEntries: maxItems } = field;
      const entry = Type.String({ minLength: 1, maxLength });
      return Type.Array(entry, { ...(description && { description }), maxItems });
    }
    case 'choice':
      return createChoiceSchema(field);
    case 'country':
      return Type.String({ description: field.description, pattern: '^[A-Z]{2}$' });
    case 'tick':
      return Type.Literal(true, { ...(field.description && { description: field.description }) });
    case 'contact':
      return createContactSchema(field);
    case 'call_number':
    case 'call_windows':
      return callSchemas[field.kind];
    case 'files':
    case 'payment':
      return null;
  }
}

function createChoiceSchema({ options, description }: ChoiceField): TSchema {
  const values = options.map(({ value }) => value);
  return Type.Enum(values, { type: 'string', ...(description && { description }) });
}

/** Requires `mode`, because a contact must say how it may be used. */
function createContactSchema({ parts }: InquiryContactField): TSchema {
  const mode = createChoiceSchema(parts.mode);
  const description = 'How the desk may reach the buyer.';
  return describeObject({ ...toProperties(Object.entries(parts)), mode }, { description });
}

function getFieldExample(field: InquiryFieldFacts): unknown {
  if (field.kind === 'tick') return true;
  if (field.kind !== 'choice') return 'example' in field ? field.example : undefined;
  return isFieldRequired(field) ? field.options[0]?.value : undefined;
}

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
    examples: [
      {
        order_id: 'q1Zl7yBq3mJx0c2y8l4QxA',
        terms_version: TERMS_VERSION_EXAMPLE,
        plain: { inquiry: plainInquiryExample },
      },
    ],
  },
);

export type InquiryBody = Static<typeof InquiryBody>;

/**
 * Requires exactly one of two fields. A schema cannot: bridges to models reject a choice at a body's top level. `place`
 * is the JSON pointer of the object.
 */
export function requireEitherOr(
  object: object,
  pairs: readonly (readonly [one: string, other: string])[],
  place = '',
): void {
  const errors = pairs.flatMap(([one, other]) => {
    const isGiven = Object.hasOwn(object, one);
    if (isGiven !== Object.hasOwn(object, other)) return [];
    const detail = isGiven
      ? `cannot be combined with ${other}; give one of them`
      : `give either this or ${other}`;
    return [{ pointer: `${place}/${one}`, detail }];
  });
  if (errors.length > 0) throw new ServiceError('validation_failed', { errors });
}
