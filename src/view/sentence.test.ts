import assert from 'node:assert/strict';
import test from 'node:test';
import { createLanguage } from '#language/language.ts';
import { ENGLISH, english } from '#language/languages.ts';
import { html } from './html.ts';
import { negotiateLanguage } from './request-language.ts';
import { renderSentence } from './sentence.ts';

test('a sentence becomes markup: the page makes the elements, and everything else is escaped', () => {
  const hostile = createLanguage('en', { ...english, 'problem.quote': '<b>x</b> {#code}{$id}{/code} &' });
  const makeCode = (id: ReturnType<typeof html>) => html`<i>${id}</i>`;
  assert.equal(
    renderSentence(hostile, 'problem.quote', { id: '<script>', code: makeCode }).toString(),
    '&lt;b&gt;x&lt;/b&gt; <i>&lt;script&gt;</i> &amp;',
  );
  const id = html`<bdi>7</bdi>`;
  assert.match(
    renderSentence(ENGLISH, 'problem.quote', { id, code: makeCode }).toString(),
    /<i><bdi>7<\/bdi><\/i>/,
  );
  // @ts-expect-error the element is missing
  assert.throws(() => renderSentence(ENGLISH, 'problem.quote', { id }));
  // @ts-expect-error the variable is misspelt
  renderSentence(ENGLISH, 'problem.quote', { ids: 'x', code: makeCode });
});

const readTag = (headers: object) => negotiateLanguage({ raw: { headers } as never }).tag;

test('the browser’s preference chooses among the languages served; otherwise it is the first', () => {
  const readPreferredTag = (accepted: string | undefined) => readTag({ 'accept-language': accepted });
  assert.equal(readPreferredTag('es-MX, en;q=0.5'), 'es');
  assert.equal(readPreferredTag('en, es;q=0.5'), 'en');
  assert.equal(readPreferredTag('pt-BR, pt;q=0.9, es;q=0.1'), 'es');
  for (const none of [undefined, '', '*', 'de', ';;;q=,', 'es;q=0', `es${' '.repeat(2_000)}`])
    assert.equal(readPreferredTag(none), 'en');
});

test('a long list of languages is not read', () => {
  const before = process.threadCpuUsage();
  assert.equal(readTag({ 'accept-language': `${'es,'.repeat(4_000)}es` }), 'en');
  // Measures only this thread, whatever else the machine does.
  const { user, system } = process.threadCpuUsage(before);
  assert.ok((user + system) / 1_000 < 50);
});

test('what the reader chose wins over the browser, and anything else in the cookie counts as nothing', () => {
  const readChosenTag = (cookie: string) => readTag({ cookie, 'accept-language': 'en' });
  assert.equal(readChosenTag('__Host-language=es'), 'es');
  assert.equal(readChosenTag('a=b; __Host-language=es; c=d'), 'es');
  for (const none of [
    '',
    '__Host-language=',
    '__Host-language=xx',
    'x__Host-language=es',
    '__Host-language=es!',
  ])
    assert.equal(readChosenTag(none), 'en', none);
  assert.equal(readTag({ cookie: '__Host-language=en', 'accept-language': 'es' }), 'en');
});
