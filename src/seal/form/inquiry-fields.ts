/** The table of inquiry fields, from which the rules, the form, the readable text and the API schema are built. */
import { MAX_CALL_WINDOWS } from '../case/call-window.ts';
import type { InquiryField } from './inquiry-field-kinds.ts';

/**
 * In the order of the sealed `inquiry.v1`, of the API and of the readable text. Sealed inquiries are validated again
 * when opened, so a new field must be optional or have a default; otherwise older inquiries become unreadable.
 */
export const inquiryFields = {
  payment_ref: { kind: 'payment', max: 255 },
  alias: {
    kind: 'line',
    section: 'safety',
    description: 'A name to call the sender by, which need not be their own.',
    min: 1,
    max: 80,
    example: 'Robin',
  },
  question: {
    kind: 'area',
    section: 'question',
    description: 'What the sender wants to know.',
    min: 20,
    max: 4000,
    rows: 6,
    example: 'Is this recruiter who she says she is?',
  },
  subject: {
    kind: 'line',
    section: 'question',
    description: 'Who or what the inquiry is about.',
    min: 1,
    max: 300,
    example: 'A recruiter who wrote to me',
  },
  identifiers: {
    kind: 'list',
    section: 'question',
    description: 'Names, numbers, addresses that are known already.',
    maxEntries: 50,
    max: 512,
    rows: 4,
    example: ['+44 20 7946 0000'],
  },
  background: {
    kind: 'area',
    section: 'question',
    description: 'What has happened so far.',
    max: 4000,
    rows: 4,
  },
  jurisdiction: {
    kind: 'country',
    section: 'safety',
    description: 'The country whose law applies to the sender, as two capital letters, such as `FR`.',
    max: 64,
    example: 'FR',
  },
  safety_risk: {
    kind: 'choice',
    section: 'safety',
    description:
      'Whether anyone is in danger, as the person says: ask them. With `immediate`, first tell them to call their local emergency number: the office works in hours, not in minutes. The inquiry can still be sent.',
    options: [{ value: 'none' }, { value: 'possible' }, { value: 'immediate' }],
  },
  subject_is_protected: {
    kind: 'choice',
    section: 'safety',
    description: 'Whether the subject is a minor, a partner, or protected by a court.',
    options: [{ value: 'no' }, { value: 'yes' }, { value: 'unsure' }],
  },
  contact: {
    kind: 'contact',
    section: 'answer',
    parts: {
      mode: {
        kind: 'choice',
        description: 'How the office may reach the sender; with `return_only`, in the case alone.',
        options: [
          { value: 'return_only', isDefault: true },
          { value: 'email' },
          { value: 'phone' },
          { value: 'signal' },
          { value: 'other' },
        ],
      },
      value: {
        kind: 'line',
        description: 'Where to write or call; empty for `return_only`.',
        max: 254,
      },
      safe_times: {
        kind: 'line',
        description: 'When it is safe to write or call.',
        max: 200,
      },
    },
  },
  call_number: {
    kind: 'call_number',
    section: 'answer',
    description:
      'The number for the call that `Dossier` includes, in digits, best with the country code; needed with `call_windows`.',
  },
  call_windows: {
    kind: 'call_windows',
    section: 'answer',
    description: `Times for the call that \`Dossier\` includes: at most ${MAX_CALL_WINDOWS}, none in the past or more than a year away.`,
  },
  lawful_purpose: {
    kind: 'tick',
    section: 'send',
    description:
      'The person declares: “My purpose is lawful. I will not use the answer to harass, stalk or harm anyone.” Ask them; send nothing if they have not said so.',
  },
  files: { kind: 'files', section: 'files' },
} as const satisfies Readonly<Record<string, InquiryField>>;

export type InquiryFieldName = keyof typeof inquiryFields;

/** The table as entries of the general field type. */
export const inquiryFieldEntries: readonly (readonly [InquiryFieldName, InquiryField])[] = Object.entries(
  inquiryFields,
) as [InquiryFieldName, InquiryField][];
