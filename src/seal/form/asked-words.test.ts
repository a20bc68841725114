import assert from 'node:assert/strict';
import test from 'node:test';
import { generateWords } from '../core/words.ts';
import { listAskedWordFaults, pickAskedWords } from './asked-words.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

test('two different words are asked for, in their order, and the same ones whenever the words are the same', () => {
  const seen = new Set<number>();
  for (const words of Array.from({ length: 300 }, generateWords)) {
    const asked = pickAskedWords(words);
    const [first, second] = asked.map(({ position }) => position);
    assert.ok(first! >= 1 && first! < second! && second! <= 12);
    assert.deepEqual(pickAskedWords(words), asked);
    for (const { position, word } of asked) assert.equal(words.split(' ')[position - 1], word);
    seen.add(first!).add(second!);
  }
  assert.equal(seen.size, 12);
});

test('a word is accepted however it was written down, and by its first four letters', () => {
  const asked = pickAskedWords(WORDS);
  const toFields = (write: (word: string, position: number) => string) =>
    new Map(asked.map(({ control, word, position }) => [control, write(word, position)]));
  for (const write of [
    (word: string) => word,
    (word: string) => ` ${word.toUpperCase()} `,
    (word: string, position: number) => `${position}. ${word}`,
    (word: string) => word.slice(0, 4),
    (word: string) => `${word}\u200b`,
  ])
    assert.deepEqual(listAskedWordFaults(toFields(write), WORDS), []);
});

test('a missing or a wrong word is named by its place, and never repeated', () => {
  const [first, second] = pickAskedWords(WORDS);
  const missing = [first, second].map((asked, index) => ({
    field: `asked_word_${index + 1}`,
    message: { key: 'fault.asked_word.missing', values: { position: asked?.position } },
  }));
  assert.deepEqual(listAskedWordFaults(new Map(), WORDS), missing);
  const swapped = new Map([
    ['asked_word_1', second?.word ?? ''],
    ['asked_word_2', (second?.word ?? '').slice(0, 3)],
  ]);
  const faults = listAskedWordFaults(swapped, WORDS);
  assert.deepEqual(
    faults.map(({ field }) => field),
    ['asked_word_1', 'asked_word_2'],
  );
  for (const { message } of faults)
    assert.doesNotMatch(JSON.stringify(message), new RegExp(`${first?.word}|${second?.word}`));
});
