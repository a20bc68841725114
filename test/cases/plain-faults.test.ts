/** Without a script, an invalid form is returned filled in, and nothing of it is stored. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { ServiceError } from '#platform/errors.ts';
import type { ProblemCode } from '#platform/problems.ts';
import { generateWords } from '#seal/core/words.ts';
import type { HttpsResponse } from '#test/https-client.ts';
import { shareTestShop } from '#test/test-shop.ts';
import {
  type FormFile,
  openPaidForm,
  parseHiddenFields,
  plainFormFields,
  sendPlainForm,
} from './plain-form.ts';
import { countStoredRows } from './row-counts.ts';
import { findCaseByWords } from './stored-case.ts';

const shop = await shareTestShop();
const trace = await openPaidForm(shop);
const dossier = await openPaidForm(shop, 'Dossier');

/** The fields that the error summary names, in page order. */
function parseErrorSummary({ text }: HttpsResponse): string[] {
  const list = /<h2 id="problems-title">[\s\S]*?<\/ul>/.exec(text)?.[0] ?? '';
  return [...list.matchAll(/<a href="#([^"]+)">/g)].map(([, field]) => field ?? '');
}

async function sendRefusedForm(
  form: typeof trace,
  fields: Record<string, string>,
  files: readonly FormFile[] = [],
): Promise<HttpsResponse> {
  const before = await countStoredRows(shop);
  const answer = await sendPlainForm(shop, form, fields, files);
  assert.equal(answer.status, 422, answer.text);
  assert.deepEqual(await countStoredRows(shop), before, 'nothing is stored');
  assert.equal(answer.headers['set-cookie'], undefined, 'the browser keeps its session');
  return answer;
}

test('a faulty form comes back with everything in it, and names its faults', async () => {
  const { lawful_purpose: _lawful, ...unlawful } = plainFormFields;
  const faults: [fields: Record<string, string>, named: string[]][] = [
    [{ ...unlawful, alias: '' }, ['alias', 'lawful_purpose']],
    [{ ...plainFormFields, identifiers: `a\r\n${'b'.repeat(513)}` }, ['identifiers']],
    [{ ...plainFormFields, contact_mode: 'pigeon' }, ['contact_mode']],
    [{ ...plainFormFields, asked_word_1: '', asked_word_2: 'zoo' }, ['asked_word_1', 'asked_word_2']],
    [{ ...plainFormFields, call_1_start: '2027-01-01T10:00' }, ['call_windows']],
  ];
  for (const [fields, named] of faults) {
    const answer = await sendRefusedForm(trace, fields);
    const errorFields = parseErrorSummary(answer);
    for (const field of named) assert.ok(errorFields.includes(field), `${field} in ${errorFields.join()}`);
    assert.ok(
      errorFields.every((field) => named.some((name) => field.startsWith(name.slice(0, 4)))),
      errorFields.join(),
    );
    const { words, token } = parseHiddenFields(answer);
    assert.deepEqual([words, token], [trace.words, trace.token]);
    for (const [name, value] of Object.entries(fields))
      if (/CANARY/.test(value)) assert.ok(answer.text.includes(value), `${name} comes back`);
  }
});

test('several errors are listed in the order of the page', async () => {
  const answer = await sendRefusedForm(dossier, { contact_mode: 'email', asked_word_2: '' });
  const first = ['question', 'subject', 'alias', 'jurisdiction', 'safety_risk'];
  const expected = [...first, 'subject_is_protected', 'contact_value'];
  const errorFields = parseErrorSummary(answer);
  assert.deepEqual(errorFields.slice(0, expected.length), expected);
  assert.deepEqual(errorFields.slice(-2), ['asked_word_2', 'lawful_purpose']);
  const ids = errorFields.map((field) => answer.text.indexOf(`id="${field}"`));
  const sorted = ids.toSorted((a, b) => a - b);
  assert.deepEqual(ids, sorted, 'and lead down the page');
  assert.ok(ids.every((place) => place > 0));
});

test('what was typed comes back escaped and never becomes markup', async () => {
  const nasty = '"><script>alert(1)</script>&amp;</textarea>\'`';
  const answer = await sendRefusedForm(trace, {
    ...plainFormFields,
    alias: nasty.repeat(5),
    question: `\r\n${nasty}`.repeat(30),
    jurisdiction: nasty,
    contact_mode: nasty,
    keep_days: nasty,
    safety_risk: nasty,
  });
  assert.doesNotMatch(answer.text, /<script>alert/);
  assert.doesNotMatch(answer.text, /&amp;<\/textarea>'/);
  assert.match(answer.text, /&lt;script>alert|&lt;script&gt;alert/);
});

test('chosen options stay selected', async () => {
  const chosen = {
    ...plainFormFields,
    alias: '',
    contact_mode: 'phone',
    contact_value: '+33 1 00 00 00 00',
    safety_risk: 'immediate',
    keep_evidence: 'yes',
  };
  const answer = await sendRefusedForm(dossier, chosen);
  const checked = [...answer.text.matchAll(/<input[^>]*\bchecked\b[^>]*>/g)].map(([tag]) => tag);
  const on = checked
    .map((tag) => [/name="([^"]+)"/.exec(tag)?.[1] ?? '', /value="([^"]+)"/.exec(tag)?.[1]] as const)
    .filter(([name]) => name in chosen)
    .map(([name, value]) => `${name}=${value}`);
  assert.deepEqual(on.toSorted(), [
    'contact_mode=phone',
    'keep_evidence=yes',
    'lawful_purpose=yes',
    'safety_risk=immediate',
    'subject_is_protected=no',
  ]);
  assert.match(answer.text, /<option value="FR" selected/);
});

test('files of a refused form are not stored, and the page asks for them again', async () => {
  const file = { name: 'a.txt', content: new Uint8Array(300_000) };
  const answer = await sendRefusedForm(trace, { ...plainFormFields, alias: '' }, [file, file]);
  assert.deepEqual(parseErrorSummary(answer), ['alias', 'files']);
  assert.match(answer.text, /Choose your files again/);
});

test('words that were damaged in the form are replaced, and must be written down again', async () => {
  for (const damaged of ['', 'abandon', `${generateWords()} zoo`, 'constructor '.repeat(12)]) {
    const answer = await sendRefusedForm({ ...trace, words: damaged }, plainFormFields);
    const { words } = parseHiddenFields(answer);
    assert.equal(words.split(' ').length, 12);
    assert.notEqual(words, damaged);
    assert.deepEqual(parseErrorSummary(answer), ['asked_word_1']);
    const box = /<input[^>]*name="asked_word_1"[^>]*>/.exec(answer.text)?.[0] ?? '';
    assert.match(box, / value=""/);
  }
});

test('a form that cannot be sealed at the moment shows what was typed, and nothing of it is stored', async (t) => {
  const { sealing } = shop.services;
  const file = { name: 'a.txt', content: new Uint8Array(300_000) };
  const sendWhileFailing = async (
    step: 'generateCaseKey' | 'sealFile' | 'sealCaseKey',
    code: ProblemCode,
  ) => {
    const failing = t.mock.method(sealing, step, async () => {
      throw new ServiceError(code);
    });
    const before = await countStoredRows(shop);
    const answer = await sendPlainForm(shop, trace, plainFormFields, [file]);
    failing.mock.restore();
    assert.equal(answer.status, 503, code);
    assert.match(answer.text, /CANARY-QUESTION/, code);
    assert.deepEqual(await countStoredRows(shop), before);
    return answer;
  };
  for (const step of ['generateCaseKey', 'sealFile', 'sealCaseKey'] as const) {
    const { headers, text } = await sendWhileFailing(step, 'sealing_unavailable');
    assert.equal(headers['retry-after'], '5');
    assert.match(text, /could not be locked or opened at the moment[\s\S]*CANARY-QUESTION/);
  }
  for (const code of ['sealing_keys_changing', 'storage_unavailable'] as const)
    await sendWhileFailing('generateCaseKey', code);
});

test('after all these errors the same form still opens its case', async () => {
  const answer = await sendPlainForm(shop, trace);
  assert.equal(answer.status, 200, answer.text);
  assert.ok(await findCaseByWords(shop, trace.words));
});
