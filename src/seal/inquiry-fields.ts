/** The one table of inquiry fields, from which the rules, the form, the readable text and the API schema are built. */
import { MAX_CALL_WINDOWS } from './call-window.ts';
import type { InquiryField } from './inquiry-field-kinds.ts';
import { MAX_INQUIRY_FILE_MIB, MAX_INQUIRY_FILES, MAX_INQUIRY_TOTAL_MIB } from './inquiry-files.ts';

const MIN_QUESTION = 20;
const MAX_IDENTIFIERS = 50;

/**
 * In the order of the sealed `inquiry.v1`, of the API and of the readable text. Sealed inquiries are validated again
 * when opened, so a new field must be optional or have a default; otherwise older inquiries become unreadable.
 */
export const inquiryFields = {
  payment_ref: {
    kind: 'payment',
    section: null,
    max: 255,
    missing: 'The payment is missing; come back to this page from the checkout',
    refused: 'This is not a payment reference',
  },
  alias: {
    kind: 'line',
    section: 'safety',
    label: 'What may we call you?',
    hint: 'It need not be your name.',
    unsentLabel: 'What we may call you',
    readerLabel: 'Name or alias',
    description: 'A name to call the sender by, which need not be their own: ',
    min: 1,
    max: 80,
    missing: 'Write a name we may call you by; it need not be your own',
    example: 'Robin',
  },
  question: {
    kind: 'area',
    section: 'question',
    label: 'Your question',
    hint: 'One question that we can answer, for example: is this recruiter who she says she is?',
    readerLabel: 'Question',
    min: MIN_QUESTION,
    max: 4000,
    rows: 6,
    missing: `Write at least ${MIN_QUESTION} characters, so that we understand the question`,
    example: 'Is this recruiter who she says she is?',
  },
  subject: {
    kind: 'line',
    section: 'question',
    label: 'Who or what it is about',
    hint: 'A name, a business, an account or a number.',
    readerLabel: 'About',
    description: 'Who or what the inquiry is about: ',
    min: 1,
    max: 300,
    missing: 'Write who or what the inquiry is about',
    example: 'A recruiter who wrote to me',
  },
  identifiers: {
    kind: 'list',
    section: 'question',
    label: 'What you already have',
    hint: `Links, e-mail addresses, phone numbers, account names. One on each line, ${MAX_IDENTIFIERS} at most.`,
    readerLabel: 'Already known',
    description: 'Names, numbers, addresses: ',
    maxEntries: MAX_IDENTIFIERS,
    tooMany: `Give at most ${MAX_IDENTIFIERS} identifiers`,
    max: 512,
    rows: 4,
    missing: 'Write a name, number or address, or remove the line',
    example: ['+44 20 7946 0000'],
  },
  background: {
    kind: 'area',
    section: 'question',
    label: 'What happened so far',
    readerLabel: 'Background',
    max: 4000,
    rows: 6,
  },
  jurisdiction: {
    kind: 'country',
    section: 'safety',
    label: 'The country you are in',
    hint: 'Its law decides what we may do for you.',
    readerLabel: 'Country',
    description: 'The country whose law applies to the sender, as two capital letters.',
    max: 64,
    missing: 'Choose the country whose law applies to you',
    refused: 'Choose a country by its two capital letters, such as FR',
    example: 'FR',
  },
  safety_risk: {
    kind: 'choice',
    section: 'safety',
    label: 'Is somebody in danger?',
    readerLabel: 'In danger',
    missing: 'Say whether somebody is in danger',
    options: [
      { value: 'none', text: 'No', readerText: 'Nobody' },
      { value: 'possible', text: 'Possibly', readerText: 'Possibly somebody' },
      {
        value: 'immediate',
        text: 'Yes, right now',
        hint: 'Call your local emergency number first: we work in hours, not in minutes. You can still send this form.',
        readerText: 'Somebody, right now',
      },
    ],
  },
  subject_is_protected: {
    kind: 'choice',
    section: 'safety',
    label: 'Is your question about a minor, a present or former partner, or somebody whom a court protects?',
    hint: 'A yes does not end your inquiry. A second investigator looks at it too.',
    readerLabel: 'A minor, a partner, or protected by a court',
    description: 'Whether the subject is a minor, a partner, or protected by a court.',
    missing: 'Say whether the subject is a minor, a partner, or protected by a court',
    options: [
      { value: 'no', text: 'No' },
      { value: 'yes', text: 'Yes' },
      { value: 'unsure', text: 'I am not sure', readerText: 'Not sure' },
    ],
  },
  contact: {
    kind: 'contact',
    section: 'answer',
    parts: {
      mode: {
        kind: 'choice',
        label: 'How may we reach you?',
        readerLabel: 'How to answer',
        missing: 'Choose how we may reach you',
        options: [
          {
            value: 'return_only',
            text: 'Only on my case page',
            hint: 'You come back with your twelve words. We hold no address of yours.',
            readerText: 'Only through the case page',
            isDefault: true,
          },
          { value: 'email', text: 'By e-mail', readerText: 'E-mail' },
          { value: 'phone', text: 'By phone', readerText: 'Phone' },
          { value: 'signal', text: 'By Signal', readerText: 'Signal' },
          { value: 'other', text: 'In another way', readerText: 'Another way' },
        ],
      },
      value: {
        kind: 'line',
        label: 'Where?',
        hint: 'Only if nobody else reads or hears it. It is locked with your question.',
        unsentLabel: 'Where to reach you',
        // Readers see it next to `mode`.
        readerLabel: null,
        description: 'Empty for `return_only`; ',
        max: 254,
      },
      safe_times: {
        kind: 'line',
        label: 'When is it safe?',
        unsentLabel: 'When it is safe',
        readerLabel: 'Safe times',
        max: 200,
      },
    },
  },
  call_windows: {
    kind: 'call_windows',
    section: 'answer',
    hint: 'Your service includes a call. You can also settle the time later, on your case page.',
    readerLabel: 'Times for the call',
    description: `Times for the call that \`Dossier\` includes: at most ${MAX_CALL_WINDOWS}.`,
  },
  lawful_purpose: {
    kind: 'tick',
    section: 'send',
    label: 'My purpose is lawful. I will not use the answer to harass, stalk or harm anyone.',
    readerLabel: null,
    missing: 'Confirm that the purpose is lawful; without it we cannot begin',
  },
  files: {
    kind: 'files',
    section: 'files',
    label: 'Files that help',
    hint: `At most ${MAX_INQUIRY_FILES} files of ${MAX_INQUIRY_FILE_MIB} MB each, ${MAX_INQUIRY_TOTAL_MIB} MB together. Other kinds than JPEG and PNG are sent as they are, with whatever they tell about you.`,
    readerLabel: 'Files',
  },
} as const satisfies Readonly<Record<string, InquiryField>>;

export type InquiryFieldName = keyof typeof inquiryFields;

/** The table as entries of the general field type. */
export const inquiryFieldEntries: readonly (readonly [InquiryFieldName, InquiryField])[] = Object.entries(
  inquiryFields,
) as [InquiryFieldName, InquiryField][];
