/** Modules that are loaded when a request first needs them are loaded once, not looked up again for every request. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import test from 'node:test';

/** The folders that answer requests. */
const FOLDERS = ['agents', 'api', 'site', 'oauth', 'clients', 'cases', 'payments'];
const DYNAMIC_IMPORT = /\bimport\(/g;
/** As the value of a lazy one, or as the first thing that it awaits. */
const LAZY_IMPORT = /\bcreateLazy\((?:\(\) => |async \(\) => \{\s*const [^;]+ = await )import\(/g;

function countMatches(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].length;
}

test('what answers requests loads a module only through createLazy', () => {
  const files = globSync(FOLDERS.map((folder) => `src/${folder}/**/*.ts`));
  assert.ok(files.length > 50, String(files.length));
  const texts = files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  assert.ok(
    texts.some(({ text }) => countMatches(text, LAZY_IMPORT) > 0),
    'the pattern finds those that there are',
  );
  const eager = texts.filter(
    ({ text }) => countMatches(text, DYNAMIC_IMPORT) !== countMatches(text, LAZY_IMPORT),
  );
  assert.deepEqual(
    eager.map(({ file }) => file),
    [],
  );
});
