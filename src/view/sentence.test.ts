import assert from 'node:assert/strict';
import test from 'node:test';
import { english } from '#language/en.ts';
import { createLanguage } from '#language/language.ts';
import { ENGLISH } from '#language/languages.ts';
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

test('the browser’s preference chooses among the languages served; otherwise it is the first', () => {
  const spanish = createLanguage('es', english);
  const readChosenTag = (accepted: string | undefined) =>
    negotiateLanguage({ raw: { headers: { 'accept-language': accepted } } as never }, [ENGLISH, spanish]).tag;
  assert.equal(readChosenTag('es-MX, en;q=0.5'), 'es');
  assert.equal(readChosenTag('en, es;q=0.5'), 'en');
  for (const none of [undefined, '', '*', 'de', ';;;q=,', 'es;q=0']) assert.equal(readChosenTag(none), 'en');
});
