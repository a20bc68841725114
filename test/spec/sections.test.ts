/** Every section of the specification that says something has a file here, named by its number. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import test from 'node:test';

/** The number of the file that holds a section; 2.6, 4.5, 5.5, 6 and 7 only say what is left open. */
const sections: Readonly<Record<string, string>> = {
  '1': '1',
  '2.1': '2.1',
  '2.2': '4.3',
  '2.3': '4.2',
  '2.4': '4.1',
  '2.5': '2.5',
  '3': '8',
  '4.1': '4.1',
  '4.2': '4.2',
  '4.3': '4.3',
  '4.4': '4.4',
  '5': '5',
  '5.1': '5.1',
  '5.2': '5.2',
  '5.3': '5.3',
  '5.4': '5.4',
  '8': '8',
  '9': '9',
};

test('no section is without its tests, and no file without its section', () => {
  const numbers = globSync('test/spec/*.test.ts').flatMap(
    (file) => /^[\d.]+(?=-)/.exec(basename(file)) ?? [],
  );
  assert.deepEqual(new Set(numbers), new Set(Object.values(sections)));
  assert.equal(new Set(numbers).size, numbers.length, 'one file for each number');
});
