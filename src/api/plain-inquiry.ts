/** The schema of a plain inquiry, generated from the table of fields. */
import { type TSchema, Type } from 'typebox';
import { describeObject } from '#platform/http/shapes.ts';
import { MAX_CALL_WINDOWS } from '#seal/case/call-window.ts';
import {
  type ChoiceField,
  findDefaultChoice,
  type InquiryContactField,
  type InquiryFieldFacts,
} from '#seal/form/inquiry-field-kinds.ts';
import { inquiryFieldEntries, inquiryFields } from '#seal/form/inquiry-fields.ts';

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
export const PlainInquirySchema = describeObject(toProperties(inquiryFieldEntries), {
  description: 'The fields of `inquiry.v1`.',
});

/** An example that passes validation. */
export const plainInquiryExample: Readonly<Record<string, unknown>> = Object.fromEntries(
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
      return schema ? [[name, schema]] : [];
    }),
  );
}

/** Returns null for a field that a plain inquiry does not have. */
function createFieldSchema(field: InquiryFieldFacts): TSchema | null {
  switch (field.kind) {
    case 'line':
    case 'area': {
      const schema = createTextSchema(field.description ?? '', {
        ...(field.min && { minLength: field.min }),
        maxLength: field.max,
      });
      return field.min ? schema : Type.Optional(schema);
    }
    case 'list': {
      const entry = Type.String({ minLength: 1, maxLength: field.max });
      const { description, maxEntries: maxItems } = field;
      return Type.Optional(Type.Array(entry, { ...(description && { description }), maxItems }));
    }
    case 'choice': {
      const schema = createChoiceSchema(field);
      return findDefaultChoice(field) === undefined ? schema : Type.Optional(schema);
    }
    case 'country':
      return Type.String({ description: field.description, pattern: '^[A-Z]{2}$' });
    case 'tick':
      return Type.Literal(true, { ...(field.description && { description: field.description }) });
    case 'contact':
      return Type.Optional(createContactSchema(field));
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
  return findDefaultChoice(field) === undefined ? field.options[0]?.value : undefined;
}
