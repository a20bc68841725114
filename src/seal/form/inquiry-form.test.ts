import assert from 'node:assert/strict';
import test from 'node:test';
import type { UnsaidSentence } from '../core/unsaid-text.ts';
import { validateInquiry } from './inquiry.ts';
import { readInquiryFromForm, sortInquiryFaults, toInquiryFormFaults } from './inquiry-form.ts';
import { toInquiryLines } from './inquiry-text.ts';

const filled = {
  alias: ' Robin ',
  question: 'Is this recruiter\r\nwho she says she is?',
  subject: 'A recruiter',
  identifiers: 'https://example.org/her\r\n\r\n +44 20 7946 0000 ',
  background: '',
  jurisdiction: 'FR',
  safety_risk: 'none',
  subject_is_protected: 'no',
  contact_mode: 'return_only',
  lawful_purpose: 'yes',
};

const context = { paymentRef: 'order-1', files: [{ name: 'a.jpg', mime: 'image/jpeg', size: 12 }] };

function checkForm(fields: Record<string, string>, includesCall = false) {
  const map = new Map(Object.entries(fields));
  const result = validateInquiry(readInquiryFromForm(map, context), { includesCall });
  return 'errors' in result ? { faults: sortInquiryFaults(toInquiryFormFaults(result.errors, map)) } : result;
}

test('a filled form is a valid inquiry, with CRLF as with LF', () => {
  const result = checkForm(filled);
  assert.ok('inquiry' in result);
  assert.equal(result.inquiry.alias, 'Robin');
  assert.equal(result.inquiry.question, 'Is this recruiter\nwho she says she is?');
  assert.deepEqual(result.inquiry.identifiers, ['https://example.org/her', '+44 20 7946 0000']);
  assert.equal(result.inquiry.files[0]?.kept_as_evidence, false);
});

test('an empty form has one fault for each required field, in the order of the form', () => {
  const result = checkForm({});
  assert.ok('faults' in result);
  assert.deepEqual(
    result.faults.map(({ field }) => field),
    ['question', 'subject', 'alias', 'jurisdiction', 'safety_risk', 'subject_is_protected', 'lawful_purpose'],
  );
  assert.deepEqual(result.faults[4]?.message, { key: 'fault.safety_risk.missing', values: {} });
});

test('a fault in a list names the entry and points to the field', () => {
  const result = checkForm({ ...filled, identifiers: `ok\n${'x'.repeat(513)}` });
  assert.ok('faults' in result);
  assert.equal(result.faults[0]?.field, 'identifiers');
  assert.deepEqual(result.faults[0]?.message, {
    key: 'fault.in_entry',
    values: { number: 2, fault: { key: 'fault.too_long', values: { max: 512, length: 513 } } },
  });
});

test('a fault of a call time points to its own row, even if an earlier row is empty', () => {
  const calls = { call_2_start: '2026-12-01T10:00', call_2_end: '2026-12-01T09:00', call_zone: 'paris' };
  const result = checkForm({ ...filled, ...calls }, true);
  assert.ok('faults' in result);
  assert.deepEqual(result.faults, [
    { field: 'call_2_end', message: { key: 'fault.call_windows_end.order', values: {} } },
  ]);
});

test('a city is taken for its zone, whichever of its names the list has', () => {
  for (const [typed, zone] of [
    ['paris', 'Europe/Paris'],
    ['New York', 'America/New_York'],
    ['Buenos Aires', /^America\/(?:Argentina\/)?Buenos_Aires$/],
    ['Kolkata', /^Asia\/(?:Kolkata|Calcutta)$/],
    ['Calcutta', /^Asia\/(?:Kolkata|Calcutta)$/],
    ['Kyiv', /^Europe\/(?:Kyiv|Kiev)$/],
    ['Bogotá', 'America/Bogota'],
    ['UTC', 'UTC'],
  ] as const) {
    const calls = { call_1_start: '2026-12-01T10:00', call_1_end: '2026-12-01T11:00', call_zone: typed };
    const result = checkForm({ ...filled, ...calls }, true);
    assert.ok('inquiry' in result, typed);
    assert.match(result.inquiry.call_windows[0]?.zone ?? '', new RegExp(zone), typed);
  }
});

test('the readable inquiry skips empty fields', () => {
  const result = checkForm(filled);
  assert.ok('inquiry' in result);
  const lines = new Map(
    toInquiryLines(result.inquiry).map(({ label, text }) => [(label as UnsaidSentence).key, text]),
  );
  const fields =
    'alias question subject identifiers jurisdiction safety_risk subject_is_protected contact_mode files';
  assert.deepEqual(
    [...lines.keys()],
    fields.split(' ').map((name) => `field.${name}`),
  );
  assert.deepEqual(lines.get('field.files'), ['a.jpg, 12 bytes']);
  assert.deepEqual(lines.get('field.jurisdiction'), { country: 'FR' });
});
