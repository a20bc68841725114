import assert from 'node:assert/strict';
import test from 'node:test';
import { generateId } from '#platform/text/ids.ts';
import { completeWord, isKnownWord } from '#seal/core/word-list.ts';
import { CASE_ADJECTIVES, CASE_NOUNS, listNamedBeginnings, NAMED_LENGTH, nameCase } from './case-name.ts';

const words = [...CASE_ADJECTIVES, ...CASE_NOUNS];

test('there are 256 words of each kind, short, in lowercase, each once', () => {
  assert.deepEqual([CASE_ADJECTIVES.length, CASE_NOUNS.length], [256, 256]);
  assert.equal(new Set(words).size, words.length);
  for (const word of words) assert.match(word, /^[a-z]{3,8}$/);
});

test('no word can be taken for one of the twelve, even where those are completed', () => {
  assert.deepEqual(
    words.filter((word) => isKnownWord(word) || isKnownWord(completeWord(word))),
    [],
  );
});

test('a name follows from the first two bytes of the id alone', () => {
  assert.equal(nameCase('AAAAAAAAAAAAAAAAAAAAAA'), 'agile acorn');
  assert.equal(nameCase('__________-----------_'), 'zigzag zither');
  for (let number = 0; number < 0x1_0000; number += 251) {
    const id = Buffer.from([number >> 8, number & 0xff, ...Buffer.alloc(14, number)]).toString('base64url');
    assert.equal(nameCase(id), `${CASE_ADJECTIVES[number >> 8]} ${CASE_NOUNS[number & 0xff]}`);
  }
});

test('the beginnings of a name are those of every id that has it', () => {
  for (let count = 0; count < 1_000; count += 1) {
    const id = generateId();
    const name = nameCase(id);
    const beginnings = listNamedBeginnings(name);
    assert.ok(beginnings.includes(id.slice(0, NAMED_LENGTH)), `${id} ${name}`);
    assert.deepEqual(new Set(beginnings).size, 4);
    for (const beginning of beginnings) assert.equal(nameCase(beginning.padEnd(22, 'x')), name);
  }
});

test('a name is read with a dash or a space, in any letters; anything else is none', () => {
  const beginnings = listNamedBeginnings('amber lantern');
  assert.equal(beginnings.length, 4);
  for (const spelling of ['amber-lantern', 'Amber  Lantern', ' AMBER lantern '])
    assert.deepEqual(listNamedBeginnings(spelling), beginnings);
  for (const other of [
    '',
    '-',
    'amber',
    'lantern amber',
    'amber lantern amber',
    'amber lamp',
    'constructor x',
  ])
    assert.deepEqual(listNamedBeginnings(other), []);
});
