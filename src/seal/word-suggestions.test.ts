import assert from 'node:assert/strict';
import test from 'node:test';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { explainUnknownWords } from './word-suggestions.ts';
import { generateWords, parseWords } from './words.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

test('the first four letters stand for every word of the list', () => {
  for (const words of Array.from({ length: 50 }, generateWords)) {
    const shortened = words.split(' ').map((word) => word.slice(0, 4));
    assert.equal(parseWords(shortened.join(' ')), words);
  }
  assert.equal(new Set(wordlist.map((word) => word.slice(0, 4))).size, wordlist.length);
});

test('one slip of a finger gets the word that was meant', () => {
  for (const slip of ['sausge', 'sausagge', 'sausaje', 'suasage'])
    assert.match(
      explainUnknownWords(WORDS.replace('sausage', slip)),
      /^Check word 6: it isn’t one of our words\. Did you mean “sausage”\?$/,
      slip,
    );
});

test('what resembles nothing gets no suggestion, and known words none either', () => {
  assert.equal(explainUnknownWords('xyzzyx legal'), 'Check word 1: it isn’t one of our words.');
  assert.equal(explainUnknownWords(WORDS), '');
  assert.equal(explainUnknownWords(''), '');
});

test('suggestions stay few, however much was typed', () => {
  const text = explainUnknownWords('qzqz '.repeat(700));
  assert.ok(text.length < 300, text);
  assert.equal(explainUnknownWords('x'.repeat(100_000)), '');
});

test('the error itself names places alone, since it may be logged', () => {
  assert.throws(() => parseWords(WORDS.replace('sausage', 'sausge')), {
    code: 'words_unknown',
    message: /^Check word 6: [^“]+$/,
  });
});
