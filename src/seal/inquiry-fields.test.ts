import assert from 'node:assert/strict';
import test from 'node:test';
import { validateInquiry } from './inquiry.ts';
import { inquiryFieldEntries } from './inquiry-fields.ts';
import { inquirySectionNames, listSectionControls, readInquiryFromForm } from './inquiry-form.ts';

const controls = inquirySectionNames.flatMap(listSectionControls);

test('every field but the payment is asked for in a section of the form, by a name of its own', () => {
  const asked = inquiryFieldEntries.filter(([, { section }]) => section !== null);
  assert.equal(asked.length, inquiryFieldEntries.length - 1);
  for (const [name, { kind }] of asked)
    assert.ok(
      controls.some(
        (control) => control.name === name || (kind === 'contact' && control.name.startsWith(name)),
      ),
      name,
    );
  assert.equal(new Set(controls.map(({ name }) => name)).size, controls.length);
});

test('a choice has options of different values, and at most one that holds where none is chosen', () => {
  for (const { name, field } of controls) {
    if (field.kind !== 'choice') continue;
    const values = field.options.map(({ value }) => value);
    assert.equal(new Set(values).size, values.length, name);
    assert.ok(field.options.filter(({ isDefault }) => isDefault).length <= 1, name);
  }
});

test('a form of the examples is an inquiry', () => {
  const filled = controls.flatMap(({ name, field }): [string, string][] => {
    if (field.kind === 'tick') return [[name, 'yes']];
    if (field.kind === 'choice') return [[name, field.options[0]?.value ?? '']];
    const { example = '' } = 'example' in field ? field : {};
    return [[name, [example].flat().join('\n')]];
  });
  const read = readInquiryFromForm(new Map(filled), { paymentRef: 'order-1', files: [] });
  assert.ok('inquiry' in validateInquiry(read, { includesCall: false }));
});
