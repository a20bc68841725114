import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGLISH, english } from '#language/languages.ts';
import { listScriptSentences } from '#language/script-sentences.ts';
import { validateContactMessage } from '#seal/case/contact-message.ts';
import { validateFinding } from '#seal/case/finding.ts';
import { validateCaseMessage } from '#seal/case/message.ts';
import type { UnsaidText } from '#seal/core/unsaid-text.ts';
import { type Inquiry, validateInquiry } from '#seal/form/inquiry.ts';
import { inquiryFields } from '#seal/form/inquiry-fields.ts';
import { toInquiryFormFaults } from '#seal/form/inquiry-form.ts';
import { toInquiryLines } from '#seal/form/inquiry-text.ts';
import { sayText } from './said-text.ts';

const listScriptKeys = (script: 'case' | 'contact' | 'inquiry') =>
  listScriptSentences(script, Object.keys(english));
const scriptKeys = {
  case: listScriptKeys('case'),
  contact: listScriptKeys('contact'),
  inquiry: listScriptKeys('inquiry'),
};

/** A reader that has only the sentences of a script. */
function createScriptReader(keys: readonly string[]) {
  return {
    tag: ENGLISH.tag,
    find: (key: string, values = {}) => (keys.includes(key) ? ENGLISH.find(key, values) : undefined),
  };
}

function listKeys(text: UnsaidText): string[] {
  if (typeof text === 'string' || 'country' in text) return [];
  if (!('key' in text)) return text.flatMap(listKeys);
  const inner = Object.values(text.values ?? {}).flatMap((value) =>
    typeof value === 'number' ? [] : listKeys(value),
  );
  return [text.key, ...inner];
}

/** A sentence that is not found is rendered as its key. */
function assertSaid(keys: readonly string[], text: UnsaidText): void {
  const said = sayText(createScriptReader(keys), text);
  for (const key of listKeys(text)) assert.ok(!said.includes(key), `${key} is not said`);
}

const wrongValues: readonly unknown[] = [
  undefined,
  null,
  7,
  '',
  'x',
  'x'.repeat(5_000),
  '\ud800',
  [],
  {},
  true,
];

const MANY = Array<string>(60).fill('a');

/** The sentences that a form control needs: its label, its choices, and what may be wrong with it. */
type ControlWords<Name extends string, Field> =
  | (Field extends { kind: 'call_windows' | 'payment' } ? never : `field.${Name}`)
  | (Field extends { options: readonly { value: infer Value extends string }[] }
      ? `field.${Name}.${Value}`
      : never)
  | (Field extends { min: number } | { kind: 'choice' | 'country' | 'list' | 'payment' | 'tick' }
      ? `fault.${Name}.missing`
      : never)
  | (Field extends { kind: 'country' | 'payment' } ? `fault.${Name}.refused` : never)
  | (Field extends { kind: 'call_windows' | 'files' | 'list' } ? `fault.${Name}.too_many` : never);

type FieldWords<Name extends string, Field> = Field extends { parts: infer Parts }
  ? { [Part in keyof Parts & string]: ControlWords<`${Name}_${Part}`, Parts[Part]> }[keyof Parts & string]
  : ControlWords<Name, Field>;

type InquiryWords = {
  [Name in keyof typeof inquiryFields]: FieldWords<Name, (typeof inquiryFields)[Name]>;
}[keyof typeof inquiryFields];

test('the compiler asks for the words of every field, choice and refusal', () => {
  const words: Readonly<Record<InquiryWords, string>> = english;
  // @ts-expect-error there is no such field
  assert.equal(words['field.unheard_of'], undefined);
});

test('whatever is wrong with an inquiry, the script of the form can say it', () => {
  const files = wrongValues.map((value) => ({ name: value, mime: value, size: value }));
  const windows = wrongValues.map((value) => ({ start: value, end: value, zone: value }));
  const contacts = [
    { mode: 'return_only', value: 'a' },
    { mode: 'email', value: '' },
    { mode: 'email', value: 'a' },
  ];
  for (const name of Object.keys(inquiryFields))
    for (const value of [...wrongValues, files, windows, windows.slice(0, 5), MANY, ...contacts])
      for (const includesCall of [true, false]) {
        const checked = validateInquiry({ [name]: value, unheard: 1 }, { includesCall });
        assert.ok('errors' in checked);
        for (const { message } of toInquiryFormFaults(checked.errors, new Map()))
          assertSaid(scriptKeys.inquiry, message);
      }
});

test('whatever is wrong with a message, the script of its page can say it', () => {
  for (const value of wrongValues) {
    const message = validateContactMessage({ topic: value, message: value, reply_to: value, unheard: 1 });
    for (const { said } of 'errors' in message ? message.errors : []) assertSaid(scriptKeys.contact, said);
    const reply = validateCaseMessage({
      text: value,
      call_windows: [{ start: value, end: value, zone: value }],
    });
    for (const { said } of 'errors' in reply ? reply.errors : []) assertSaid(scriptKeys.case, said);
  }
});

test('whatever is wrong with a finding, the desk can say it', () => {
  const keys = Object.keys(english);
  for (const value of wrongValues)
    for (const files of [[], [{ name: value, mime: value, size: value, kept_as_evidence: value }], MANY]) {
      const finding = validateFinding({ markdown: value, files });
      for (const { said } of 'errors' in finding ? finding.errors : []) assertSaid(keys, said);
    }
});

test('the case page can say every line of an inquiry, whatever was chosen', () => {
  const base = {
    payment_ref: 'p',
    alias: 'a',
    question: 'q',
    subject: 's',
    identifiers: ['i'],
    background: 'b',
    jurisdiction: 'FR',
    call_windows: [{ start: '2026-12-01T10:00', end: '2026-12-01T11:00', zone: 'UTC' }],
    call_number: '+44',
    lawful_purpose: true,
    files: [{ name: 'f', mime: '', size: 1, kept_as_evidence: true }],
  };
  const { contact, safety_risk: risk, subject_is_protected: protection } = inquiryFields;
  for (const { value: mode } of contact.parts.mode.options)
    for (const { value: safety_risk } of risk.options)
      for (const { value: subject_is_protected } of protection.options) {
        const answers = { safety_risk, subject_is_protected, contact: { mode, value: 'v', safe_times: 't' } };
        for (const { label, text } of toInquiryLines({ ...base, ...answers } as unknown as Inquiry)) {
          assertSaid(scriptKeys.case, label);
          assertSaid(scriptKeys.case, text);
        }
      }
});
