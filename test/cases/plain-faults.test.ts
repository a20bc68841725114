/** A form without a script that cannot be taken: it comes back filled in, and nothing of it is stored. */
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { newWords } from '#seal/words.ts';
import type { Answer } from '#test/https-client.ts';
import { openShop } from '#test/shop.ts';
import { caseOf } from './opened.ts';
import { filled, hiddenIn, paidForm, type SentFile, sendPlain } from './plain-form.ts';
import { stored } from './stored.ts';

const shop = await openShop({ after });
const trace = await paidForm(shop);
const dossier = await paidForm(shop, 'Dossier');

/** The fields that the summary names, from the top down. */
function summary({ text }: Answer): string[] {
  const list = /<h2 id="problems-title">[\s\S]*?<\/ul>/.exec(text)?.[0] ?? '';
  return [...list.matchAll(/<a href="#([^"]+)">/g)].map(([, field]) => field ?? '');
}

async function refused(
  form: typeof trace,
  fields: Record<string, string>,
  files: readonly SentFile[] = [],
): Promise<Answer> {
  const before = await stored(shop);
  const answer = await sendPlain(shop, form, fields, files);
  assert.equal(answer.status, 422, answer.text);
  assert.deepEqual(await stored(shop), before, 'nothing is stored');
  assert.equal(answer.headers['set-cookie'], undefined, 'the browser keeps its session');
  return answer;
}

const without = (...names: (keyof typeof filled)[]): Record<string, string> =>
  Object.fromEntries(Object.entries(filled).filter(([name]) => !names.some((left) => left === name)));

const faults: [what: string, fields: Record<string, string>, named: string[]][] = [
  ['a question that is too short', { ...filled, question: 'Who?' }, ['question']],
  ['a question that is too long', { ...filled, question: 'x'.repeat(4_001) }, ['question']],
  ['no subject', { ...filled, subject: ' ' }, ['subject']],
  ['51 identifiers', { ...filled, identifiers: 'one\r\n'.repeat(51) }, ['identifiers']],
  ['an identifier that is too long', { ...filled, identifiers: `a\r\n${'b'.repeat(513)}` }, ['identifiers']],
  ['no name', { ...filled, alias: '' }, ['alias']],
  ['a country that does not exist', { ...filled, jurisdiction: 'ZZ' }, ['jurisdiction']],
  ['no word about safety', without('safety_risk'), ['safety_risk']],
  ['no word about protection', without('subject_is_protected'), ['subject_is_protected']],
  ['an address that must not be used', { ...filled, contact_value: 'a@example.org' }, ['contact_value']],
  ['a way without an address', { ...filled, contact_mode: 'signal' }, ['contact_value']],
  ['a way that is not offered', { ...filled, contact_mode: 'pigeon' }, ['contact_mode']],
  ['words not written down', without('words_kept'), ['words_kept']],
  ['no lawful purpose', without('lawful_purpose'), ['lawful_purpose']],
  [
    'a call that was not bought',
    { ...filled, call_1_start: '2027-01-01T10:00' },
    ['call_1_start', 'call_1_end'],
  ],
];

for (const [what, fields, named] of faults)
  test(`${what}: the form comes back with everything in it`, async () => {
    const answer = await refused(trace, fields);
    const shown = summary(answer);
    for (const field of named) assert.ok(shown.includes(field), `${field} in ${shown.join()}`);
    assert.ok(
      shown.every((field) => named.some((name) => field.startsWith(name.slice(0, 4)))),
      shown.join(),
    );
    assert.deepEqual(hiddenIn(answer), { ...hiddenIn(answer), words: trace.words, token: trace.token });
    for (const [name, value] of Object.entries(fields))
      if (/CANARY/.test(value)) assert.ok(answer.text.includes(value), `${name} comes back`);
  });

test('all faults at once stand in the order of the page', async () => {
  const answer = await refused(dossier, {
    call_1_start: '2027-01-01T10:00',
    call_1_end: '2027-01-01T09:00',
    call_zone: 'Mars/Olympus',
    contact_mode: 'email',
  });
  const expected = [
    'question',
    'subject',
    'alias',
    'jurisdiction',
    'safety_risk',
    'subject_is_protected',
    'contact_value',
  ];
  const shown = summary(answer);
  assert.deepEqual(shown.slice(0, expected.length), expected);
  assert.deepEqual(shown.slice(-2), ['words_kept', 'lawful_purpose']);
  const ids = shown.map((field) => answer.text.indexOf(`id="${field}"`));
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
    'and lead down the page',
  );
  assert.ok(ids.every((place) => place > 0));
});

test('what was typed comes back escaped, and nothing of it becomes markup', async () => {
  const nasty = '"><script>alert(1)</script>&amp;</textarea>\'`';
  const answer = await refused(trace, {
    ...filled,
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

test('choices that were made stay made', async () => {
  const answer = await refused(dossier, {
    ...filled,
    alias: '',
    keep_days: '180',
    contact_mode: 'phone',
    contact_value: '+33 1 00 00 00 00',
    safety_risk: 'immediate',
    keep_evidence: 'yes',
    call_1_start: '2027-01-01T10:00',
    call_1_end: '2027-01-01T11:00',
    call_zone: 'Europe/Paris',
  });
  const checked = [...answer.text.matchAll(/<input[^>]*\bchecked\b[^>]*>/g)].map(([tag]) => tag);
  const on = checked.map((tag) => `${/name="([^"]+)"/.exec(tag)?.[1]}=${/value="([^"]+)"/.exec(tag)?.[1]}`);
  assert.deepEqual(on.toSorted(), [
    'contact_mode=phone',
    'keep_days=180',
    'keep_evidence=yes',
    'lawful_purpose=yes',
    'safety_risk=immediate',
    'subject_is_protected=no',
    'words_kept=yes',
  ]);
  assert.match(answer.text, /<option value="Europe\/Paris" selected/);
  assert.match(answer.text, /<option value="FR" selected/);
  assert.match(answer.text, /value="2027-01-01T11:00"/);
});

test('files of a form that is refused are not kept, and the page says to choose them again', async () => {
  const file = { name: 'a.txt', content: new Uint8Array(300_000) };
  const answer = await refused(trace, { ...filled, alias: '' }, [file, file]);
  assert.deepEqual(summary(answer), ['alias', 'files']);
  assert.match(answer.text, /Choose your files again/);
});

test('words that were damaged on their way are replaced, and must be written down anew', async () => {
  for (const damaged of ['', 'abandon', `${newWords()} zoo`, 'constructor '.repeat(12)]) {
    const answer = await refused({ ...trace, words: damaged }, filled);
    const { words } = hiddenIn(answer);
    assert.equal(words.split(' ').length, 12);
    assert.notEqual(words, damaged);
    assert.deepEqual(summary(answer), ['words_kept']);
    const box = /<input[^>]*name="words_kept"[^>]*>/.exec(answer.text)?.[0] ?? '';
    assert.doesNotMatch(box, /checked/);
  }
});

test('after all that, the same form still opens its case', async () => {
  const answer = await sendPlain(shop, trace);
  assert.equal(answer.status, 200, answer.text);
  assert.ok(await caseOf(shop, trace.words));
});
