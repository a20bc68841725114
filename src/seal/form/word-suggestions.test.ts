import assert from 'node:assert/strict';
import test from 'node:test';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { generateWords, parseWords } from '../core/words.ts';
import { explainRefusedWords } from './word-suggestions.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

function explainWords(text: string): unknown {
  try {
    return parseWords(text);
  } catch (error) {
    return explainRefusedWords(error);
  }
}

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
      explainWords(WORDS.replace('sausage', slip)),
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
  assert.deepEqual(explainWords('xyzzyx legal'), [{ key: 'words.unknown', values: { position: 1 } }]);
  assert.deepEqual(explainWords('legal'), { key: 'problem.words_count', values: { count: 1 } });
  assert.deepEqual(explainWords(''), { key: 'problem.words_count', values: { count: 0 } });
  assert.deepEqual(explainWords(`${WORDS} legal`), { key: 'problem.words_long' });
  assert.equal(explainRefusedWords(new Error('of something else')), null);
});

test('suggestions stay few, however much was typed', () => {
  const sentences = explainWords('qzqz '.repeat(79)) as unknown[];
  assert.equal(sentences.filter((part) => part !== ' ').length, 4);
  assert.deepEqual(explainWords('qzqz '.repeat(700)), { key: 'problem.words_long' });
  assert.deepEqual(explainWords('x'.repeat(100_000)), { key: 'problem.words_long' });
});
