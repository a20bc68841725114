import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { encodeFrame } from '../core/frame.ts';
import { countryCodes } from './countries.ts';
import type { FieldError } from './field-rules.ts';
import { validateInquiry } from './inquiry.ts';
import { inquiryFieldEntries } from './inquiry-fields.ts';

const MIB = 1024 * 1024;
const withCall = { includesCall: true };
const withoutCall = { includesCall: false };

const least = {
  payment_ref: 'order-1',
  alias: 'A',
  question: 'Who is behind this shop?',
  subject: 'A shop',
  jurisdiction: 'FR',
  safety_risk: 'none',
  subject_is_protected: 'no',
  lawful_purpose: true,
};

const full = {
  ...least,
  identifiers: ['@handle', 'https://shop.example'],
  background: 'I paid and nothing came.',
  contact: { mode: 'email', value: 'me@example.org', safe_times: 'mornings' },
  call_number: '+44 20 7946 0000',
  call_windows: [{ start: '2026-12-01T09:00', end: '2026-12-01T12:00', zone: 'Europe/Paris' }],
  files: [{ name: 'receipt.png', mime: 'image/png', size: 1000, kept_as_evidence: true }],
};

test('the shortest inquiry is accepted, and optional fields get their defaults', () => {
  assert.deepEqual(validateInquiry(least, withoutCall), {
    inquiry: {
      ...least,
      identifiers: [],
      background: '',
      contact: { mode: 'return_only', value: '', safe_times: '' },
      call_number: '',
      call_windows: [],
      files: [],
    },
  });
});

test('a full inquiry is accepted unchanged', () => {
  assert.deepEqual(validateInquiry(full, withCall), { inquiry: full });
});

test('an empty inquiry reports every required field in order', () => {
  assert.deepEqual(
    listErrors({}).map(({ pointer }) => pointer),
    Object.keys(least).map((name) => `/${name}`),
  );
});

test('a question that is too short is reported with what it lacks', () => {
  assert.deepEqual(listErrors({ ...least, question: 'Who?' }), [
    { pointer: '/question', code: 'missing', said: { key: 'fault.question.missing', values: { min: 20 } } },
  ]);
});

test('length limits are exact and count characters, not bytes', () => {
  const limits = { alias: [1, 80], question: [20, 4000], subject: [1, 300], background: [0, 4000] } as const;
  for (const [field, [min, max]] of Object.entries(limits)) {
    for (const letter of ['a', '字', '🔒']) {
      assert.deepEqual(listErrorPointers({ [field]: letter.repeat(min) }), []);
      assert.deepEqual(listErrorPointers({ [field]: letter.repeat(max) }), []);
      assert.deepEqual(listErrorPointers({ [field]: letter.repeat(max + 1) }), [`/${field}`]);
    }
    if (min > 0)
      assert.deepEqual(listErrorPointers({ [field]: `${'a'.repeat(min - 1)}   \n` }), [`/${field}`]);
  }
  assert.deepEqual(listErrorPointers({ background: '\r\n'.repeat(4000) }), []);
});

test('lists are limited, and each invalid entry is reported', () => {
  const createIdentifiers = (count: number, length: number) =>
    Array.from({ length: count }, () => 'x'.repeat(length));
  assert.deepEqual(listErrorPointers({ identifiers: createIdentifiers(50, 512) }), []);
  assert.deepEqual(listErrorPointers({ identifiers: createIdentifiers(51, 1) }), ['/identifiers']);
  assert.deepEqual(listErrorPointers({ identifiers: ['a', 'x'.repeat(513), 7, ' '] }), [
    '/identifiers/1',
    '/identifiers/2',
    '/identifiers/3',
  ]);
  assert.deepEqual(listErrorPointers({ identifiers: 'a' }), ['/identifiers']);
});

test('files are limited in number, size and total size', () => {
  const createFile = (size: unknown) => ({ name: 'a.jpg', mime: 'image/jpeg', size });
  for (const [length, size, pointers] of [
    [4, 25 * MIB, []],
    [10, 10 * MIB, []],
    [11, 1, ['/files']],
    [5, 25 * MIB, ['/files']],
  ] as const)
    assert.deepEqual(listErrorPointers({ files: Array.from({ length }, () => createFile(size)) }), pointers);
  for (const size of [25 * MIB + 1, -1, 1.5, '1', undefined, Number.NaN])
    assert.deepEqual(listErrorPointers({ files: [createFile(size)] }), ['/files/0/size']);
  for (const name of ['', 'a/b', 'a\\b', 'a\nb', 'x'.repeat(256)])
    assert.deepEqual(listErrorPointers({ files: [{ ...createFile(1), name }] }), ['/files/0/name']);
});

test('a contact address needs a contact mode, and a mode needs an address', () => {
  const listContactErrors = (mode: string | undefined, value: string) =>
    listErrorPointers({ contact: { mode, value } });
  assert.deepEqual(listContactErrors('return_only', ''), []);
  assert.deepEqual(listContactErrors('email', 'me@example.org'), []);
  assert.deepEqual(listContactErrors('phone', '+33 1 23 45 67 89'), []);
  for (const mode of [undefined, 'return_only'])
    assert.deepEqual(listContactErrors(mode, 'me@example.org'), ['/contact/value']);
  for (const mode of ['email', 'phone', 'signal', 'other'])
    assert.deepEqual(listContactErrors(mode, ' '), ['/contact/value']);
  assert.deepEqual(listContactErrors('email', 'somewhere'), ['/contact/value']);
  assert.deepEqual(listContactErrors('pigeon', ''), ['/contact/mode']);
  assert.deepEqual(listContactErrors('other', 'x'.repeat(255)), ['/contact/value']);
});

test('call times must exist, be in order, and belong to a tier with a call', () => {
  const listWindowErrors = (change: object) =>
    listErrorPointers({ ...full, call_windows: [{ ...full.call_windows[0], ...change }] });
  assert.deepEqual(listWindowErrors({}), []);
  assert.deepEqual(listWindowErrors({ end: '2026-12-01T09:00' }), ['/call_windows/0/end']);
  for (const start of ['2026-02-31T09:00', '2026-12-01', '2026-12-01T25:00', 'soon', undefined])
    assert.deepEqual(listWindowErrors({ start }), ['/call_windows/0/start']);
  const result = validateInquiry(full, withoutCall);
  assert.deepEqual('errors' in result && result.errors.map(({ pointer }) => pointer), [
    '/call_windows',
    '/call_number',
  ]);
});

const now = Date.parse('2026-11-16T10:00Z');

function listSentErrors(change: object, value: object = full): string[] {
  const result = validateInquiry({ ...value, ...change }, { ...withCall, now });
  return 'errors' in result ? result.errors.map(({ pointer }) => pointer) : [];
}

test('times that are sent lie ahead, by the clock of their zone, but not more than a year', () => {
  const listWindowErrors = (change: object) =>
    listSentErrors({ call_windows: [{ ...full.call_windows[0], ...change }] });
  const end = '2028-01-01T10:00';
  const late = ['/call_windows/0/start'];
  for (const [change, pointers] of [
    [{}, []],
    // A quarter of an hour is allowed for clocks and for filling in the form.
    [{ start: '2026-11-16T10:46' }, []],
    [{ start: '2026-11-16T10:45' }, late],
    [{ start: '2026-11-16T10:45', zone: 'America/New_York' }, []],
    [{ start: '2020-11-16T10:45' }, late],
    [{ start: '2027-11-17T10:59', end }, []],
    [{ start: '2027-11-17T11:00', end }, late],
    [{ start: '9999-12-31T23:00', end: '9999-12-31T23:30' }, late],
  ] as const)
    assert.deepEqual(listWindowErrors(change), pointers);
});

test('a zone must be known to who sends it, but what was sealed is read with any zone and after its times', () => {
  const windows = [{ start: '2020-01-01T09:00', end: '2020-01-01T12:00', zone: 'Mars/Olympus' }];
  assert.deepEqual(listSentErrors({ call_windows: windows }), ['/call_windows/0/zone']);
  assert.deepEqual(listErrors({ ...full, call_windows: windows }), []);
});

test('times for a call need a phone number, and it must be a valid one', () => {
  assert.deepEqual(listSentErrors({ call_number: '' }), ['/call_number']);
  assert.deepEqual(listSentErrors({ call_number: '  ' }), ['/call_number']);
  assert.deepEqual(listSentErrors({ call_windows: [], call_number: '' }), []);
  for (const call_number of ['+44 20 7946 0000', '(020) 7946-0000', '112233', '+1.212.555.0123'])
    assert.deepEqual(listSentErrors({ call_number }), [], call_number);
  for (const call_number of ['hello', '1234', '+', '++44 20 7946 0000', '1'.repeat(16), '+44 20 7946 x12'])
    assert.deepEqual(listSentErrors({ call_number }), ['/call_number'], call_number);
  assert.deepEqual(listSentErrors({ call_number: '1 '.repeat(40) }), ['/call_number']);
});

test('an inquiry that was sealed before numbers were asked for is read', () => {
  const { call_number: _none, ...before } = full;
  assert.deepEqual(validateInquiry(before, withCall), { inquiry: { ...full, call_number: '' } });
});

test('a country is one of the 249 codes of ISO 3166-1, in capitals', () => {
  assert.equal(countryCodes.length, 249);
  assert.equal(new Set(countryCodes).size, 249);
  for (const jurisdiction of countryCodes) assert.deepEqual(listErrorPointers({ jurisdiction }), []);
  for (const jurisdiction of ['fr', 'XX', 'UK', 'EU', 'XK', 'AN', 'SU', 'FRA', '', 33])
    assert.deepEqual(listErrorPointers({ jurisdiction }), ['/jurisdiction']);
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  assert.ok(countryCodes.every((code) => names.of(code) !== undefined));
});

test('only true confirms a lawful purpose', () => {
  for (const lawful_purpose of [false, 'true', 1, null, undefined])
    assert.deepEqual(listErrorPointers({ lawful_purpose }), ['/lawful_purpose']);
});

test('an unknown field is refused at every level', () => {
  const unknown = {
    ...full,
    'a/b~c': 1,
    contact: { ...full.contact, x: 1 },
    files: [{ ...full.files[0], y: 1 }],
  };
  assert.deepEqual(listErrorPointers(unknown).toSorted(), ['/a~1b~0c', '/contact/x', '/files/0/y']);
  assert.deepEqual(listErrorPointers(JSON.parse('{"__proto__": 1, "toString": 2}')).slice(0, 2), [
    '/__proto__',
    '/toString',
  ]);
  assert.deepEqual(listErrorPointers({ constructor: 1 }), ['/constructor']);
});

test('a lone surrogate is refused, because sealing would change it', () => {
  assert.deepEqual(listErrorPointers({ background: 'a\ud800' }), ['/background']);
});

test('any input gives an inquiry or errors, and a valid inquiry stays the same', () => {
  const anyFields = fc.record(
    Object.fromEntries(
      Object.keys(full).map((name) => [name, fc.oneof(fc.anything(), fc.constant(name in least))]),
    ),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), anyFields), (value) => {
      const result = validateInquiry(value, withCall);
      if ('inquiry' in result) assert.deepEqual(validateInquiry(result.inquiry, withCall), result);
      else assert.ok(result.errors.length > 0);
    }),
    { numRuns: 300 },
  );
});

test('the longest inquiry fits into an envelope, even if JSON escapes every character', () => {
  const texts = inquiryFieldEntries.flatMap(([name, field]) =>
    field.kind === 'line' || field.kind === 'area' ? [[name, '\u0001'.repeat(field.max)]] : [],
  );
  const longest = {
    ...least,
    ...Object.fromEntries(texts),
    identifiers: Array.from({ length: 50 }, () => '\u0001'.repeat(512)),
    contact: { mode: 'other', value: '\u0001'.repeat(254), safe_times: '\u0001'.repeat(200) },
    call_number: '\u0001'.repeat(40),
    call_windows: Array.from({ length: 5 }, () => full.call_windows[0]),
    files: Array.from({ length: 10 }, () => ({
      name: '🔒'.repeat(255),
      mime: 'x'.repeat(127),
      size: 10 * MIB,
    })),
  };
  const result = validateInquiry(longest, withCall);
  assert.ok('inquiry' in result);
  assert.equal(
    encodeFrame({ kind: 'inquiry.v1', case: 'x'.repeat(43), seq: 0 }, result.inquiry, 32).length,
    256 * 1024,
  );
});

function listErrors(value: unknown): readonly FieldError[] {
  const result = validateInquiry(value, withCall);
  return 'errors' in result ? result.errors : [];
}

/** Of an otherwise valid inquiry. */
function listErrorPointers(change: object): string[] {
  return listErrors({ ...least, ...change }).map(({ pointer }) => pointer);
}
