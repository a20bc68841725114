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
    assert.deepEqual(
      explainUnknownWords(WORDS.replace('sausage', slip)),
      [
        {
          key: 'words.unknown.near',
          values: { position: 6, near: { key: 'words.near', values: { word: 'sausage' } } },
        },
      ],
      slip,
    );
});

test('what resembles nothing gets no suggestion, and known words none either', () => {
  assert.deepEqual(explainUnknownWords('xyzzyx legal'), [{ key: 'words.unknown', values: { position: 1 } }]);
  assert.deepEqual(explainUnknownWords(WORDS), []);
  assert.deepEqual(explainUnknownWords(''), []);
});

test('suggestions stay few, however much was typed', () => {
  const sentences = explainUnknownWords('qzqz '.repeat(700)).filter((part) => part !== ' ');
  assert.equal(sentences.length, 4);
  assert.deepEqual(explainUnknownWords('x'.repeat(100_000)), []);
});

test('the error itself names places alone, since it may be logged', () => {
  assert.throws(() => parseWords(WORDS.replace('sausage', 'sausge')), {
    code: 'words_unknown',
    message: /^Check word 6: [^“]+$/,
  });
});
