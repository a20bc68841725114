import assert from 'node:assert/strict';
import test from 'node:test';
import { ENGLISH } from '#language/languages.ts';
import { assertValidHtml } from '#test/site/markup.ts';
import {
  renderCheckbox,
  renderErrorSummary,
  renderFieldGroup,
  renderFileField,
  renderRadioGroup,
  renderSelectField,
  renderTextArea,
  renderTextField,
} from './form.ts';
import { type Html, html } from './html.ts';

const { say } = ENGLISH;

const choices = [
  { value: 'a', text: 'First', hint: 'Said <b>softly</b>' },
  { value: 'b', text: 'Second' },
];

function renderEveryPart(name: string, extra: { hint?: string; error?: string; optional?: boolean }): Html[] {
  const createField = (kind: string) => ({ name: `${name}-${kind}`, label: `A ${kind} & more`, ...extra });
  return [
    renderTextField(say, { ...createField('text'), value: '"quoted"', maxLength: 80 }),
    renderTextArea(say, { ...createField('area'), value: '\n</textarea><script>' }),
    renderSelectField(say, { ...createField('select'), choices, value: 'b' }),
    renderRadioGroup(say, { ...createField('radios'), choices, value: 'b' }),
    renderCheckbox(say, { ...createField('box'), checked: true }),
    renderFileField(say, createField('file')),
  ];
}

function renderTestPage(body: Html): string {
  return html`<!DOCTYPE html><html lang="en"><head><title>Form parts</title></head><body><main>
${body}</main></body></html>`.toString();
}

test('every kind of field is valid HTML, with and without hint, error and optional mark', async () => {
  const parts = [
    renderFieldGroup('Plain', renderEveryPart('plain', {})),
    renderFieldGroup('Full', renderEveryPart('full', { hint: 'A hint', error: 'An error', optional: true })),
  ];
  const form = html`<form method="post" action="/x">${parts}<button type="submit">Send</button></form>`;
  await assertValidHtml(renderTestPage(form), 'form');
});

test('a field is described by its hint and its error, and marked invalid only with an error', () => {
  const plain = renderTextField(say, { name: 'q', label: 'Q' }).toString();
  assert.doesNotMatch(plain, /aria-describedby|aria-invalid/);
  const wrong = renderTextField(say, { name: 'q', label: 'Q', hint: 'H', error: 'E' }).toString();
  assert.match(wrong, /aria-describedby="q-hint q-error" aria-invalid="true"/);
  assert.match(wrong, /id="q-hint">H<[\s\S]*id="q-error"><span class="unseen">Error: <\/span>E</);
  assert.match(
    renderCheckbox(say, { name: 'q', label: 'Q', error: 'E' }).toString(),
    /aria-describedby="q-error"/,
  );
});

test('a submitted value is shown again unchanged and escaped', () => {
  const value = '\n</textarea><script>"\'&amp;';
  const area = renderTextArea(say, { name: 'q', label: 'Q', value }).toString();
  assert.ok(area.includes('>\n\n&lt;/textarea&gt;&lt;script&gt;&quot;&#39;&amp;amp;</textarea>'));
});

test('an optional field is marked as optional, any other is required', () => {
  assert.match(renderTextField(say, { name: 'q', label: 'Q' }).toString(), / required/);
  const optional = renderTextField(say, { name: 'q', label: 'Q', optional: true }).toString();
  assert.match(optional, /\(optional\)/);
  assert.doesNotMatch(optional, / required/);
});

test('the error summary links to each field with the text of its error', () => {
  const summary = String(renderErrorSummary(say, [{ field: 'q', message: 'Enter <your> question' }]));
  assert.match(summary, /role="alert"/);
  assert.ok(summary.includes('<a href="#q">Enter &lt;your&gt; question</a>'));
  assert.equal(renderErrorSummary(say, []), null);
  assert.match(renderRadioGroup(say, { name: 'q', label: 'Q', choices }).toString(), /type="radio" id="q"/);
});
