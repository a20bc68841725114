/** The schema of a plain inquiry, generated from the table of fields. */
import { type TSchema, Type } from 'typebox';
import { closedObject } from '#platform/http/shapes.ts';
import {
  type ChoiceField,
  findDefaultChoice,
  type InquiryContactField,
  type InquiryFieldFacts,
} from '#seal/inquiry-field-kinds.ts';
import { inquiryFieldEntries } from '#seal/inquiry-fields.ts';

const createTextSchema = (description: string) => Type.String({ description });

const CallWindowSchema = Type.Object(
  {
    start: createTextSchema('Local time in `zone`, such as `2026-12-31T14:30`.'),
    end: createTextSchema('Later than `start`.'),
    zone: createTextSchema('Such as `Europe/Paris`.'),
  },
  closedObject,
);

/** Names and types only. The rules are in `#seal/inquiry.ts`, with readable error messages. */
export const PlainInquirySchema = Type.Object(toProperties(inquiryFieldEntries), closedObject);

/** Passes validation. */
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
      const limits = `${field.min ? `${field.min} to` : 'at most'} ${field.max} characters.`;
      const schema = createTextSchema(joinLimits(field.description, limits));
      return field.min ? schema : Type.Optional(schema);
    }
    case 'list': {
      const limits = `at most ${field.maxEntries}, of ${field.max} characters.`;
      const description = joinLimits(field.description, limits);
      return Type.Optional(Type.Array(Type.String(), { description }));
    }
    case 'choice': {
      const schema = createChoiceSchema(field);
      return findDefaultChoice(field) === undefined ? schema : Type.Optional(schema);
    }
    case 'country':
      return createTextSchema(field.description);
    case 'tick':
      return Type.Literal(true);
    case 'contact':
      return Type.Optional(createContactSchema(field));
    case 'call_number':
      return Type.Optional(createTextSchema(field.description));
    case 'call_windows':
      return Type.Optional(Type.Array(CallWindowSchema, { description: field.description }));
    case 'files':
    case 'payment':
      return null;
  }
}

function createChoiceSchema({ options, description }: ChoiceField): TSchema {
  const values = options.map(({ value }) => value);
  return Type.Enum(values, { type: 'string', ...(description && { description }) });
}

/** A contact must say how it may be used, so `mode` is required here. */
function createContactSchema({ parts }: InquiryContactField): TSchema {
  const mode = createChoiceSchema(parts.mode);
  return Type.Object({ ...toProperties(Object.entries(parts)), mode }, closedObject);
}

function joinLimits(description: string | undefined, limits: string): string {
  return description === undefined ? limits.charAt(0).toUpperCase() + limits.slice(1) : description + limits;
}

function getFieldExample(field: InquiryFieldFacts): unknown {
  if (field.kind === 'tick') return true;
  if (field.kind !== 'choice') return 'example' in field ? field.example : undefined;
  return findDefaultChoice(field) === undefined ? field.options[0]?.value : undefined;
}
