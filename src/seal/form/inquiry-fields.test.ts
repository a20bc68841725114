import assert from 'node:assert/strict';
import test from 'node:test';
import { validateInquiry } from './inquiry.ts';
import { inquiryFieldEntries } from './inquiry-fields.ts';
import { inquirySectionNames, listSectionControls, readInquiryFromForm } from './inquiry-form.ts';

const controls = inquirySectionNames.flatMap(listSectionControls);

test('every field except the payment has a uniquely named control in a section of the form', () => {
  const formFields = inquiryFieldEntries.filter(([, { kind }]) => kind !== 'payment');
  assert.equal(formFields.length, inquiryFieldEntries.length - 1);
  for (const [name, { kind }] of formFields)
    assert.ok(
      controls.some(
        (control) => control.name === name || (kind === 'contact' && control.name.startsWith(name)),
      ),
      name,
    );
  assert.equal(new Set(controls.map(({ name }) => name)).size, controls.length);
});

test('the options of a choice have different values, and at most one is the default', () => {
  for (const { name, field } of controls) {
    if (field.kind !== 'choice') continue;
    const values = field.options.map(({ value }) => value);
    assert.equal(new Set(values).size, values.length, name);
    assert.ok(field.options.filter(({ isDefault }) => isDefault).length <= 1, name);
  }
});

test('a form filled with the examples is a valid inquiry', () => {
  const filled = controls.flatMap(({ name, field }): [string, string][] => {
    if (field.kind === 'tick') return [[name, 'yes']];
    if (field.kind === 'choice') return [[name, field.options[0]?.value ?? '']];
    const { example = '' } = 'example' in field ? field : {};
    return [[name, [example].flat().join('\n')]];
  });
  const value = readInquiryFromForm(new Map(filled), { paymentRef: 'order-1', files: [] });
  assert.ok('inquiry' in validateInquiry(value, { includesCall: false }));
});
